"""What rows along the class axis show: probabilities, log-probabilities, or neither."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.facts.facts import Maker, Rows
from lossguard.findings import Certainty, Fix
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import changes_values

#: Fewer rows than this, and it may be chance.
_ENOUGH_ROWS = 4


def rows_of(part: Part | None, *meanings: Meaning) -> Rows | None:
    """The rows of `part` if it stands for one of `meanings` and they were read; None otherwise."""
    if part is None or part.spec.meaning not in meanings or part.facts.rows is None:
        return None
    return part.facts.rows if part.facts.rows.read else None


def told_maker(part: Part) -> Maker | None:
    """What made the values of `part`, where that is all that is known of them: source code tells no values."""
    return part.facts.maker if part.facts.rows is None and part.facts.smallest is None else None


def is_probabilities(rows: Rows) -> bool:
    """Whether every row lies within [0, 1] and sums to 1."""
    return rows.probabilities == rows.read


def is_log_probabilities(rows: Rows) -> bool:
    """Whether every row lies below 0 and its exponentials sum to 1."""
    return rows.log_probabilities == rows.read


def is_weighted_labels(case: Case, rows: Rows) -> bool:
    """Whether each row is one label times a weight of its sample, in a loss that torch does not average."""
    return case.contract.reduction in {"sum", "none"} and rows.single + rows.empty == rows.read


def certainty_of(rows: Rows) -> Certainty:
    """How sure one can be of what so many rows agree on."""
    if rows.read < 2 or rows.one_hot == rows.read:
        return Certainty.POSSIBLE
    return Certainty.CERTAIN if rows.read >= _ENOUGH_ROWS else Certainty.LIKELY


def loss_for_logits(case: Case) -> list[Fix]:
    """The loss that takes the logits of this one as they are, where torch has it: none for sequences of labels."""
    if case.target is None or case.input is None or case.target.spec.meaning is not Meaning.CLASS_INDICES:
        return []
    code = f"F.cross_entropy({case.input.name}, {case.target.name})"
    return [changes_values("take the loss that is made for logits", code)]
