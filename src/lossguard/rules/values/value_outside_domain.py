"""LG214."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
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
    count,
    passes,
)
from lossguard.rules.saying import TorchMessage


class ValueOutsideDomain(Rule):
    """A rate or a variance is negative, and the loss takes its logarithm.

    Why it matters
        gaussian_nll_loss refuses a negative variance. poisson_nll_loss with `log_input=False` takes the
        logarithm of the rates it is given without a look: NaN.

    Usual causes
        A last layer without softplus or exp; log-rates given where rates are meant, or the other way
        round; a variance computed as a difference.

    Fix safety
        Clamping hides the fault. softplus or exp at the end of the model makes the numbers positive.
    """

    code = "LG214"
    seek = "negative"
    cost = Cost.VALUES
    says = (
        TorchMessage(
            "var has negative entry/entries",
            versions="1.8 and later",
            shows="var has negative entry/entries",
            ops=frozenset({"gaussian_nll_loss"}),
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
    )
    verify = "print(var.min())"
    remedies = (changes_values("make the variance positive in the model", "F.softplus(var)"),)
    examples = (
        breaks(
            "F.gaussian_nll_loss", "torch.randn(3), torch.randn(3), torch.tensor([1.0, -1.0, 2.0])", "raises ValueError"
        ),
        breaks("F.poisson_nll_loss", "torch.tensor([-1.0, 2.0]), torch.ones(2), log_input=False", "nan"),
        passes("F.gaussian_nll_loss", "torch.randn(3), torch.randn(3), torch.rand(3)"),
        passes("F.poisson_nll_loss", "torch.tensor([-1.0, 2.0]), torch.ones(2)"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when numbers that may not be negative are."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.POSITIVES):
            if part.facts.below is None:
                return CANNOT_TELL
            if part.facts.below:
                found.append(self._describe(case, part, part.facts.below))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, number: int) -> Finding:
        enforced = case.is_enforced(part, "bounds")
        harmless = not enforced and case.is_nan is False
        return self.finding(
            case,
            part,
            f"{case.loss} needs {part.name} not to be negative; {count(number, 'value')} of "
            f"{part.facts.count or 1:,} {'is' if number == 1 else 'are'}",
            severity=Severity.WARNING if harmless else Severity.ERROR,
            refused=enforced,
            fixes=[changes_values("make it positive in the model", f"F.softplus({part.name})")],
            samples=True,
        )
