"""LG103."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Finding, Severity
from lossguard.rules.case import Case
from lossguard.rules.casting import cast_repair
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, changes_values, passes


class BooleanClassTarget(Rule):
    """Class indices are held as truth values.

    Why it matters
        A comparison such as `y == 1` or `score > 0.5` gives bool, and a class-index loss wants int64.
        With one output per sample, a yes-or-no target often belongs to binary_cross_entropy_with_logits.

    Usual causes
        `target = labels > 0`; a mask; a data-frame column of True and False.

    Repair safety
        `target.long()` is lossless: False is class 0 and True is class 1.
    """

    code = "LG103"
    says = (Saying("expected target dtype to be Long or Byte, but got Bool", versions="2.12 and later"),)
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
            if part.facts.dtype == "bool" and part.facts.kind == "tensor":
                raises = case.is_enforced(part, "dtype")
                message = f"{case.loss} needs class indices as int64; {part.name} is bool"
                severity = Severity.ERROR if raises else Severity.WARNING
                repairs = [cast_repair(case, part)]
                if case.classes == 1:
                    repairs.append(
                        changes_values(
                            "use the loss for one yes-or-no output",
                            f"F.binary_cross_entropy_with_logits({_names(case)}.squeeze(1), {part.name}.float())",
                        )
                    )
                found.append(self.finding(case, part, message, severity=severity, repairs=repairs))
        return found or HOLDS


def _names(case: Case) -> str:
    return case.input.name if case.input else "input"
