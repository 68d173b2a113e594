"""LG209."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import FIRST_INEXACT
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, count, passes


class RoundedClassTarget(Rule):
    """Float labels are so large that their dtype may have rounded them to another class.

    Why it matters
        float16 holds every whole number below 2048 and then only every second one; bfloat16 stops at
        256, float32 at 16777216. Token 2049 in float16 is token 2048. Nothing shows it afterwards.

    Usual causes
        `.half()` or `.to(torch.bfloat16)` on a whole batch, labels included; token ids that travelled in
        one tensor with features; a float32 column of user or item numbers.

    Fix safety
        None: what was rounded is gone. Keep labels in int64 from where they are read.
    """

    code = "LG209"
    seek = "floating"
    cost = Cost.VALUES
    explains = frozenset({"LG101"})
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 3000), torch.tensor([5, 2049]).half()",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(2, 3000), torch.tensor([5, 2049])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when float labels reach the first whole number their dtype cannot tell from its neighbour."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            if part.facts.inexact is None:
                return CANNOT_TELL
            if part.facts.inexact:
                found.append(self._describe(case, part, part.facts.inexact))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, number: int) -> Finding:
        facts = part.facts
        limit = FIRST_INEXACT.get(facts.dtype or "", 0)
        return self.finding(
            case,
            part,
            f"{case.loss} needs class indices as int64; {part.name} is {facts.dtype}, which is exact below {limit:,}, "
            f"and {count(number, 'label')} of {facts.count:,} {'is' if number == 1 else 'are'} not",
            severity=Severity.ERROR if case.is_enforced(part, "dtype") else Severity.WARNING,
            certainty=Certainty.CERTAIN,
            fixes=[changes_values("keep the labels in int64 from where they are read")],
            samples=True,
        )
