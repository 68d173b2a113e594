"""LG101."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import is_floating
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.casting import cast_fix
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage


class FloatClassTarget(Rule):
    """Class indices are held in a floating dtype.

    Why it matters
        A class index picks an entry of a row, so the loss wants int64 and refuses floats, even floats
        that look like integers: 1.0, 2.0, 0.0. The dtype counts, not the values. On Apple's Metal the
        target is cast without a word instead, and a NaN becomes a class.

    Usual causes
        A data-frame column with one missing value is float64 as a whole. `torch.Tensor([...])` makes
        float32, `torch.tensor([...])` keeps integers. A division, a mean, a normalisation, a collate
        function that stacks floats, `.float()` on the whole batch, one array for features and label.

    Fix safety
        `target.long()` is lossless when every value is finite, whole, in range and small enough for its
        dtype to be exact. It is never so for NaN (it becomes -9223372036854775808) or fractions (they
        are cut off). Better is to make the label an integer where it is read.
    """

    code = "LG101"
    seek = "floating"
    says = (
        TorchMessage(
            "expected target dtype to be Long or Byte, but got Float",
            versions="2.12 and later",
            shows="expected target dtype to be Long or Byte, but got {target_dtype:float}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Float'",
            devices="CUDA",
            versions="1.10 to 2.11",
            shows="nll_loss{index} not implemented for {target_dtype:float}",
            certainty=Certainty.CERTAIN,
            weight=70,
            because=(
                "the name in quotes is that of the kernel; its _index part is compiled for Long and Byte targets only"
            ),
        ),
        TorchMessage(
            "expected scalar type Long but found Float",
            devices="CPU, and CUDA for images",
            versions="1.4 to 2.11",
            shows="expected scalar type Long but found {target_dtype:float}",
            ops=CLASS_LOSSES,
            weight=70,
        ),
        TorchMessage(
            "expected Long tensor (got Float tensor)",
            versions="0.3 and before",
            shows="expected Long tensor (got {target_dtype:float} tensor)",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Float for argument #2 'target'",
            versions="1.0 to 1.9",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:float} "
                "for argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            ("Expected object of type torch.LongTensor but found type torch.FloatTensor for argument #2 'target'"),
            versions="0.4",
            shows=(
                "Expected object of type {?Variable[}torch.{?cuda.}LongTensor{?]} but found type "
                "{?Variable[}torch.{?cuda.}{target_dtype:float}Tensor{?]} for argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.FloatTensor, torch.FloatTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.{?cuda.}{word}, torch.{?cuda.}{target_dtype:float}Tensor"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Float for argument #3 'index'",
            versions="1.0 to 1.5",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:float} "
                "for argument #{n:number} 'index'"
            ),
            certainty=Certainty.POSSIBLE,
            weight=60,
            needs="labels",
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Float for argument #3 'index'",
            versions="1.0 to 1.5",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:float} "
                "for argument #{n:number} 'index'"
            ),
            certainty=Certainty.POSSIBLE,
            weight=30,
        ),
        TorchMessage(
            (
                "Expected object of scalar type Long but got scalar type Float for sequence "
                "element 2 in sequence argument at position #1 'tensors'"
            ),
            versions="1.0 to 1.4",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:float} "
                "for sequence element {n:number} in sequence argument"
            ),
            weight=60,
            needs="labels",
            because="labels of several samples are joined, and one of them is floating",
        ),
    )
    verify = "print(target.dtype, target.shape, target.flatten()[:10])"
    remedies = (changes_values("cast the labels, if every value is a whole number", "target.long()"),)
    examples = (
        breaks(
            "F.nll_loss",
            "torch.randn(4, 5).log_softmax(1), torch.tensor([1.0, 2.0, 0.0, 4.0])",
            "raises RuntimeError",
        ),
        breaks("nn.CrossEntropyLoss()", "torch.randn(4, 5), torch.Tensor([1, 2, 0, 4])", "raises RuntimeError"),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.tensor([1, 2, 0, 4])"),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.randn(4, 5).softmax(1)"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a class-index argument has a floating dtype."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            if part.facts.dtype is None:
                return CANNOT_TELL
            refused = case.takes(part, part.facts.dtype) is False
            if is_floating(part.facts.dtype) and part.facts.kind == "tensor" and refused:
                found.append(self._describe(case, part))
        return found or HOLDS

    def _describe(self, case: Case, part: Part) -> Finding:
        raises = case.is_enforced(part, "dtype")
        return self.finding(
            case,
            part,
            f"{case.loss} needs class indices as int64; {part.name} is {part.facts.dtype}",
            severity=Severity.ERROR if raises else Severity.WARNING,
            fixes=[cast_fix(case, part)],
        )
