"""LG208."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes


class EveryTargetIgnored(Rule):
    """The loss is a mean over nothing: all targets are ignored, or the batch is empty.

    Why it matters
        0 divided by 0 is NaN. The gradient happens to be 0, so the weights survive; but a running
        average of the loss is NaN from then on, and a check for NaN stops the run.

    Usual causes
        A short or unlabelled sample alone in a batch; a prompt that fills the whole context, so that
        every answer token was cut off; an ignore index that is a class after all; an empty last batch.

    Repair safety
        Skipping such batches, or summing and dividing by a count of at least 1, changes no label but
        what is averaged: your decision.
    """

    code = "LG208"
    cost = Cost.VALUES
    examples = (
        breaks("F.cross_entropy", "torch.randn(2, 5), torch.tensor([-100, -100])", "nan"),
        breaks("F.nll_loss", "torch.randn(0, 5).log_softmax(1), torch.zeros(0).long()", "nan"),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([-100, 1])"),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([-100, -100]), reduction='sum'"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a mean has nothing to average."""
        target = case.target
        if case.contract.reduction != "mean":
            return HOLDS
        if target is None or target.facts.count is None or case.meant.fits is None:
            return CANNOT_TELL
        empty = target.facts.count == 0
        if not case.meant.fits or (target.spec.meaning is not Meaning.CLASS_INDICES and not empty):
            return HOLDS
        if target.facts.ignored is None and not empty:
            return CANNOT_TELL
        if not empty and target.facts.ignored != target.facts.count:
            return HOLDS
        ignore = target.facts.bounds.ignore if target.facts.bounds else None
        said = "is empty" if empty else f"is {ignore}, the ignore index, in all {target.facts.count:,} places"
        return self.finding(
            case,
            target,
            f"{case.loss} averages over targets that count; {target.name} {said}, so the mean is NaN",
            refused=False,
            repairs=[
                changes_values("skip batches without a label", f"if ({target.name} != {ignore}).any(): loss.backward()")
            ],
        )
