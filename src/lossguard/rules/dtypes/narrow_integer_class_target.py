"""LG102."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import NARROW_INTEGERS
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case
from lossguard.rules.casting import cast_fix
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage


class NarrowIntegerClassTarget(Rule):
    """Class indices are integers, but of another width than int64.

    Why it matters
        The kernels of these losses read eight bytes for each label. Torch refuses int8, int16, int32 and
        the unsigned dtypes rather than to convert them, although embedding and indexing take int32.

    Usual causes
        numpy's default integer on Windows is int32; `.int()`; labels stored small to save space; a
        mask decoded from a 16-bit image.

    Fix safety
        `target.long()` is lossless: int64 holds every label that is in range.
    """

    code = "LG102"
    seek = "dtype"
    says = (
        TorchMessage(
            "expected target dtype to be Long or Byte, but got Int",
            versions="2.12 and later",
            shows="expected target dtype to be Long or Byte, but got {target_dtype:narrow}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Int'",
            devices="CUDA",
            versions="1.10 to 2.11",
            shows="nll_loss{index} not implemented for {target_dtype:narrow}",
            certainty=Certainty.CERTAIN,
            weight=70,
            because=(
                "the name in quotes is that of the kernel; its _index part is compiled for Long and Byte targets only"
            ),
        ),
        TorchMessage(
            "expected scalar type Long but found Int",
            devices="CPU, and CUDA for images",
            versions="1.4 to 2.11",
            shows="expected scalar type Long but found {target_dtype:narrow}",
            ops=CLASS_LOSSES,
            weight=70,
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Int for argument #2 'target'",
            versions="1.0 to 1.9",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:narrow} "
                "for argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            ("Expected object of type torch.LongTensor but found type torch.IntTensor for argument #2 'target'"),
            versions="0.4",
            shows=(
                "Expected object of type {?Variable[}torch.{?cuda.}LongTensor{?]} but found type "
                "{?Variable[}torch.{?cuda.}{target_dtype:narrow}Tensor{?]} for argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.FloatTensor, torch.IntTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.{?cuda.}{word}, torch.{?cuda.}{target_dtype:narrow}Tensor"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Int for argument #3 'index'",
            versions="1.0 to 1.5",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:narrow} "
                "for argument #{n:number} 'index'"
            ),
            certainty=Certainty.POSSIBLE,
            weight=60,
            needs="labels",
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Int for argument #3 'index'",
            versions="1.0 to 1.5",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:narrow} "
                "for argument #{n:number} 'index'"
            ),
            certainty=Certainty.POSSIBLE,
            weight=30,
        ),
        TorchMessage(
            (
                "Expected object of scalar type Long but got scalar type Int for sequence "
                "element 2 in sequence argument at position #1 'tensors'"
            ),
            versions="1.0 to 1.4",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:narrow} "
                "for sequence element {n:number} in sequence argument"
            ),
            weight=60,
            needs="labels",
        ),
    )
    verify = "print(target.dtype)"
    remedies = (changes_values("cast the labels", "target.long()"),)
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(4, 5), torch.tensor([1, 2, 0, 4], dtype=torch.int32)",
            "raises RuntimeError",
        ),
        breaks(
            "F.cross_entropy",
            "torch.randn(4, 5, 3), torch.ones(4, 3, dtype=torch.int16)",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.tensor([1, 2, 0, 4], dtype=torch.int64)"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a class-index argument is an integer of a width the loss does not take."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            dtype = part.facts.dtype
            if dtype is None:
                return CANNOT_TELL
            if part.facts.kind == "tensor" and dtype in NARROW_INTEGERS and case.takes(part, dtype) is False:
                raises = case.is_enforced(part, "dtype")
                message = f"{case.loss} needs class indices as int64; {part.name} is {dtype}"
                severity = Severity.ERROR if raises else Severity.WARNING
                fixes = [cast_fix(case, part)]
                found.append(self.finding(case, part, message, severity=severity, fixes=fixes))
        return found or HOLDS
