"""LG103."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case
from lossguard.rules.casting import cast_fix
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage


class BooleanClassTarget(Rule):
    """Class indices are held as truth values.

    Why it matters
        A comparison such as `y == 1` or `score > 0.5` gives bool, and a class-index loss wants int64.
        With one output per sample, a yes-or-no target often belongs to binary_cross_entropy_with_logits.

    Usual causes
        `target = labels > 0`; a mask; a data-frame column of True and False.

    Fix safety
        `target.long()` is lossless: False is class 0 and True is class 1.
    """

    code = "LG103"
    seek = "dtype"
    says = (
        TorchMessage(
            "expected target dtype to be Long or Byte, but got Bool",
            versions="2.12 and later",
            shows="expected target dtype to be Long or Byte, but got {target_dtype:bool}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Bool'",
            devices="CUDA",
            versions="1.10 to 2.11",
            shows="nll_loss{index} not implemented for {target_dtype:bool}",
            certainty=Certainty.CERTAIN,
            weight=70,
            because=(
                "the name in quotes is that of the kernel; its _index part is compiled for Long and Byte targets only"
            ),
        ),
        TorchMessage(
            "expected scalar type Long but found Bool",
            devices="CPU, and CUDA for images",
            versions="1.4 to 2.11",
            shows="expected scalar type Long but found {target_dtype:bool}",
            ops=CLASS_LOSSES,
            weight=70,
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Bool for argument #2 'target'",
            versions="1.0 to 1.9",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:bool} for "
                "argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            ("Expected object of type torch.LongTensor but found type torch.BoolTensor for argument #2 'target'"),
            versions="0.4",
            shows=(
                "Expected object of type {?Variable[}torch.{?cuda.}LongTensor{?]} but found type "
                "{?Variable[}torch.{?cuda.}{target_dtype:bool}Tensor{?]} for argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.FloatTensor, torch.BoolTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.{?cuda.}{word}, torch.{?cuda.}{target_dtype:bool}Tensor"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
    )
    verify = "print(target.dtype)"
    remedies = (changes_values("cast the labels", "target.long()"),)
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(4, 2), torch.tensor([True, False, True, True])",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(4, 2), torch.tensor([1, 0, 1, 1])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a class-index argument is bool."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            if part.facts.dtype is None:
                return CANNOT_TELL
            if part.facts.dtype == "bool" and part.facts.kind == "tensor" and case.takes(part, "bool") is False:
                raises = case.is_enforced(part, "dtype")
                message = f"{case.loss} needs class indices as int64; {part.name} is bool"
                severity = Severity.ERROR if raises else Severity.WARNING
                fixes = [cast_fix(case, part)]
                if case.classes == 1:
                    fixes.append(
                        changes_values(
                            "use the loss for one yes-or-no output",
                            f"F.binary_cross_entropy_with_logits({_names(case)}.squeeze(1), {part.name}.float())",
                        )
                    )
                found.append(self.finding(case, part, message, severity=severity, fixes=fixes))
        return found or HOLDS


def _names(case: Case) -> str:
    return case.input.name if case.input else "input"
