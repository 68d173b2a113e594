"""LG213."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import INT32_MIN, INT64_MIN
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Cost,
    Rule,
    breaks,
    changes_values,
    passes,
)
from lossguard.rules.saying import TorchMessage

#: Fewer labels are 0 by chance too often to be followed back.
_MANY: Final = 8


def _is_poor(part: Part, classes: int) -> bool:
    """Whether labels are as few as scaling and cutting leaves of them: 0 and 1 of more than two classes."""
    facts = part.facts
    return (facts.count or 0) >= _MANY and classes > 2 and facts.smallest == 0 and facts.largest in {0, 1}


class TruncatedClassTarget(Rule):
    """A label is what a cast makes of NaN or infinity: -9223372036854775808 or -2147483648.

    Why it matters
        `.long()` cannot fail, so a missing label became the smallest integer and the fault moved to
        another line. Fractions were cut off by the same cast and cannot be seen any more: a mask of
        classes that was divided by 255 is 0 everywhere, and the loss falls quickly and means nothing.
        Labels that are all 0 may be sound, so a guard tells this only where it has followed them back
        to such a cast.

    Usual causes
        `.long()` or `astype(int)` on a column with missing values, often added to silence the error
        about float targets. A mask that goes through the transformation of the images.

    Fix safety
        None: the cast has destroyed what was there. Look at the labels before it.
    """

    code = "LG213"
    seek = "truncated"
    suspects = "cut off"
    cost = Cost.VALUES
    explains = frozenset({"LG201", "LG202"})
    says = (
        TorchMessage(
            "IndexError: Target -9223372036854775808 is out of bounds.",
            devices="CPU",
            versions="1.4 and later",
            shows="Target {-9223372036854775808|-2147483648} is out of bounds",
            certainty=Certainty.CERTAIN,
            weight=90,
        ),
        TorchMessage(
            "index -9223372036854775808 is out of bounds for dimension 1 with size 5",
            devices="CPU",
            shows="{target|index} -9223372036854775808 {is out|out}",
            weight=80,
        ),
    )
    verify = "print(target_before_cast.isnan().sum())"
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(3, 5), torch.tensor([1.0, float('nan'), 3.0]).long()",
            "raises IndexError",
        ),
        passes("F.cross_entropy", "torch.randn(3, 5), torch.tensor([1.0, 2.0, 3.0]).long()"),
        passes("F.cross_entropy", "torch.randn(9, 5), torch.zeros(9).long()"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the smallest label is the smallest integer there is."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            if part.facts.smallest is None or part.facts.below is None:
                return CANNOT_TELL
            if part.facts.below and part.facts.smallest in {INT64_MIN, INT32_MIN}:
                found.append(self._describe(case, part))
            elif _is_poor(part, case.classes or 0):
                found.append(self._suspect(case, part))
        return found or HOLDS

    def _suspect(self, case: Case, part: Part) -> Finding:
        return self.finding(
            case,
            part,
            f"the largest of {part.facts.count:,} labels is {part.facts.largest:g}: a cast to integers has cut off "
            "fractions that were made by scaling them",
            severity=Severity.WARNING,
            certainty=Certainty.CERTAIN,
            cause="class numbers were scaled as images or features are, and then cast",
            fixes=[changes_values("do not scale the labels: cast them as they were read")],
            classes=case.classes,
            refused=False,
            suspected=True,
        )

    def _describe(self, case: Case, part: Part) -> Finding:
        smallest = part.facts.smallest
        number = (part.facts.below_values or {}).get(smallest or 0, part.facts.below)
        return self.finding(
            case,
            part,
            f"{case.loss} needs class indices from 0 to {(case.classes or 1) - 1}; {number:,} of "
            f"{part.facts.count:,} labels are {smallest}, which is NaN or infinity after a cast",
            severity=Severity.ERROR if case.is_enforced(part, "bounds") else Severity.WARNING,
            certainty=Certainty.CERTAIN,
            cause="a missing label was cast to an integer",
            fixes=[changes_values("drop or fill the missing labels before they are cast")],
            samples=True,
        )
