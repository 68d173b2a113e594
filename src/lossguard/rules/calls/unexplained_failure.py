"""LG506."""

from __future__ import annotations

from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values


class UnexplainedFailure(Rule):
    """Torch refuses the call, or the loss is NaN, and no other rule has found out why.

    Why it matters
        A report must not say "sound" of a call that fails. This is the net below all other rules; what
        falls into it is worth an issue.

    Usual causes
        Finite numbers so large that softmax overflows beside soft targets; a torch that is newer than
        this rule book; a device with a limit of its own.

    Fix safety
        Nothing is known that could be fixed.
    """

    code = "LG506"
    cost = Cost.DEEP
    last_resort = True
    examples = (breaks("F.cross_entropy", "torch.tensor([[3e38, -3e38]]), torch.tensor([[1.0, 0.0]])", "nan"),)

    def look(self, case: Case) -> Answer:
        """Broken when the loss was run and failed; other findings about the failure come first."""
        outcome = case.observation.outcome
        if outcome is None:
            return CANNOT_TELL
        if outcome.raised is not None:
            said = f"torch refuses this call: {outcome.raised}"
        elif outcome.nan and case.contract.is_loss:
            said = f"the result of {case.loss} is NaN, and nothing that is known of its arguments explains it"
        else:
            return HOLDS
        fix = changes_values("report it, with this call: the rule book has a gap here")
        return self.finding(case, "input", said, fixes=[fix], refused=outcome.raised is not None)
