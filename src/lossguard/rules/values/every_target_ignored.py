"""LG208."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Finding
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes


class EveryTargetIgnored(Rule):
    """The loss is a mean over nothing: all targets are ignored, or the batch is empty.

    Why it matters
        0 divided by 0 is NaN. The gradient happens to be 0, so the weights survive; but a running
        average of the loss is NaN from then on, and a check for NaN stops the run.

    Usual causes
        A short or unlabelled sample alone in a batch; a prompt that fills the whole context, so that
        every answer token was cut off; an ignore index that is a class after all; an empty last batch.

    Fix safety
        Skipping such batches, or summing and dividing by a count of at least 1, changes no label but
        what is averaged: your decision.
    """

    code = "LG208"
    seek = "ignored"
    cost = Cost.VALUES
    examples = (
        breaks("F.cross_entropy", "torch.randn(2, 5), torch.tensor([-100, -100])", "nan"),
        breaks("F.nll_loss", "torch.randn(0, 5).log_softmax(1), torch.zeros(0).long()", "nan"),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([-100, 1])"),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([-100, -100]), reduction='sum'"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a mean has nothing to average."""
        part = case.target or case.input
        if case.contract.reduction not in {"mean", "batchmean"} or case.is_nan is False:
            return HOLDS
        if part is None or part.facts.count is None or case.meant.fits is None:
            return CANNOT_TELL
        empty = part.facts.count == 0
        if not case.meant.fits or (part.spec.meaning is not Meaning.CLASS_INDICES and not empty):
            return HOLDS
        if part.facts.ignored is None and not empty:
            return CANNOT_TELL
        if not empty and part.facts.ignored != part.facts.count:
            return HOLDS
        return self._describe(case, part, empty=empty)

    def _describe(self, case: Case, part: Part, *, empty: bool) -> Finding:
        ignore = part.facts.bounds.ignore if part.facts.bounds else None
        said = "is empty" if empty else f"is {ignore}, the ignore index, in all {part.facts.count:,} places"
        condition = f"{part.name}.numel()" if empty else f"({part.name} != {ignore}).any()"
        return self.finding(
            case,
            part,
            f"{case.loss} averages over what counts; {part.name} {said}, so the mean is NaN",
            refused=False,
            fixes=[changes_values(f"skip batches without a label: go on only if {condition}")],
        )
