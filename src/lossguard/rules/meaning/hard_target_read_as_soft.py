"""LG305."""

from __future__ import annotations

import math

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.meaning.reading_rows import is_weighted_labels
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes


class HardTargetReadAsSoft(Rule):
    """Labels have the input's shape by accident, so cross_entropy reads them as probabilities.

    Why it matters
        cross_entropy decides by shape alone. Logits squeezed to (N,) beside float labels (N,) become one
        sample with N classes. Logits (N, 1) beside labels (N, 1) have one class, which is always right:
        the loss is 0 for ever.

    Usual causes
        One output for a yes-or-no question, with cross_entropy in place of
        binary_cross_entropy_with_logits; `squeeze()` on the logits; a last batch of size 1.

    Fix safety
        Taking the other loss, or a second output, changes the number, which was wrong.
    """

    code = "LG305"
    seek = "floating labels"
    cost = Cost.VALUES
    explains = frozenset({"LG304"})
    examples = (
        breaks("F.cross_entropy", "torch.randn(6), torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])", "silent"),
        breaks(
            "F.cross_entropy",
            "torch.randn(6, 1), torch.tensor([[0.0], [1.0], [1.0], [0.0], [1.0], [0.0]])",
            "silent",
        ),
        breaks("F.cross_entropy", "torch.randn(2, 3), torch.tensor([[0.0, 2.0, 1.0], [2.0, 2.0, 0.0]])", "silent"),
        passes("F.cross_entropy", "torch.randn(3), torch.tensor([0.0, 1.0, 0.0])"),
        passes("F.cross_entropy", "torch.randn(1, 1), torch.tensor([[1.0]])"),
        passes("F.cross_entropy", "torch.randn(2, 3), torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a soft target has one class only, or holds whole numbers that are labels."""
        part = case.target
        if part is None or part.spec.meaning is not Meaning.CLASS_PROBABILITIES:
            return HOLDS
        if len(case.contract.readings) == 1:
            return HOLDS
        if part.facts.count == 0 or case.takes(part, part.facts.dtype or "") is not True:
            return HOLDS
        if case.classes == 1:
            # One sample with its one class: the last, smallest batch of a loss that compares samples with each other.
            if part.facts.count == 1 and part.facts.smallest == 1:
                return HOLDS
            return self._describe(case, part, "one class is always right, so the loss is 0", Certainty.CERTAIN)
        facts, rows = part.facts, part.facts.rows
        if facts.largest is None or rows is None:
            return CANNOT_TELL
        if rows.whole < rows.read or rows.negative or rows.probabilities == rows.read or is_weighted_labels(case, rows):
            return HOLDS
        flat = facts.shape is not None and len(facts.shape) == 1
        # What is no label, because there are not so many classes, is a count, as of votes.
        if facts.largest > 1 and (flat or facts.largest < (case.classes or math.inf)):
            return self._describe(case, part, f"its values are whole, up to {facts.largest:g}", Certainty.CERTAIN)
        if flat:
            said = f"one sample with {case.classes} classes, {rows.greatest_sum:g} of them right"
            return self._describe(case, part, said, Certainty.LIKELY)
        return HOLDS

    def _describe(self, case: Case, part: Part, said: str, certainty: Certainty) -> Finding:
        binary = part.facts.largest is not None and part.facts.largest <= 1
        fix = (
            changes_values(
                "take the loss for one output",
                f"F.binary_cross_entropy_with_logits({_input(case)}, {part.name})",
            )
            if binary
            else changes_values("give one class index for each sample, and one logit for each class")
        )
        return self.finding(
            case,
            part,
            f"{case.loss} reads a target of the input's shape as class probabilities; {said}",
            severity=Severity.WARNING,
            certainty=certainty,
            cause="class labels that have the shape of the logits",
            fixes=[fix],
        )


def _input(case: Case) -> str:
    return case.input.name if case.input else "input"
