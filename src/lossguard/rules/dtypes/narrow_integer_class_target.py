"""LG102."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import NARROW_INTEGERS
from lossguard.findings import Finding, Severity
from lossguard.rules.case import Case
from lossguard.rules.casting import cast_repair
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, passes


class NarrowIntegerClassTarget(Rule):
    """Class indices are integers, but of another width than int64.

    Why it matters
        The kernels of these losses read eight bytes for each label. Torch refuses int8, int16, int32 and
        the unsigned dtypes rather than to convert them, although embedding and indexing take int32.

    Usual causes
        numpy's default integer on Windows is int32; `.int()`; labels stored small to save space; a
        mask decoded from a 16-bit image.

    Repair safety
        `target.long()` is lossless: int64 holds every label that is in range.
    """

    code = "LG102"
    says = (
        Saying("expected target dtype to be Long or Byte, but got Int", versions="2.12 and later"),
        Saying("expected scalar type Long but found Int", "CPU", "1.4 to 2.11"),
    )
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
                repairs = [cast_repair(case, part)]
                found.append(self.finding(case, part, message, severity=severity, repairs=repairs))
        return found or HOLDS
