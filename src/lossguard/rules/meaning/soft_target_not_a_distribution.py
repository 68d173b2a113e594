"""LG304."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.facts.facts import Maker, Rows
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.meaning.reading_rows import is_weighted_labels, rows_of, told_maker
from lossguard.rules.rewriting_calls import swapped
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes


class SoftTargetNotADistribution(Rule):
    """Class probabilities are negative, or do not sum to 1.

    Why it matters
        cross_entropy multiplies the target with the log-probabilities and checks neither sign nor sum.
        A row that sums to 3 counts three times; a negative entry rewards the model for being wrong and
        lets the loss fall without end.

    Usual causes
        Logits of a teacher given without softmax; several labels at once (a case for
        binary_cross_entropy_with_logits); mixup weights that do not sum to 1; integer labels that were
        cast to float and have the input's shape.

    Fix safety
        Normalising the rows changes the target: your decision.
    """

    code = "LG304"
    seek = "no distribution"
    cost = Cost.VALUES
    examples = (
        breaks("F.cross_entropy", "torch.randn(4, 3), torch.randn(4, 3)", "silent"),
        breaks("F.cross_entropy", "torch.randn(2, 3), torch.tensor([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])", "silent"),
        breaks(
            "F.kl_div", "torch.randn(4, 3).log_softmax(1), torch.randn(4, 3).log_softmax(1), reduction='sum'", "nan"
        ),
        passes("F.cross_entropy", "torch.randn(4, 3), torch.randn(4, 3).softmax(1)"),
        passes("F.kl_div", "torch.randn(2, 2).log_softmax(1), torch.tensor([[0.0, 0.0], [0.5, 0.5]]), reduction='sum'"),
        passes("F.cross_entropy", "torch.randn(4, 300), torch.randn(4, 300).half().softmax(1)"),
        passes("F.cross_entropy", "torch.randn(4, 300), torch.randn(4, 300).softmax(1).bfloat16().float()"),
        breaks("F.cross_entropy", "torch.randn(2, 2), torch.tensor([[2.5, 0], [0, 0.5]]), reduction='sum'", "silent"),
        breaks("F.cross_entropy", "torch.randn(2, 3), torch.tensor([[5.0, 0.0, 1.0], [1.0, 1.0, 4.0]])", "silent"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when rows of a soft target are no distributions."""
        part, rows = case.target, rows_of(case.target, Meaning.CLASS_PROBABILITIES)
        if part is None or part.spec.meaning is not Meaning.CLASS_PROBABILITIES:
            return HOLDS
        if part.facts.dtype is not None and case.takes(part, part.facts.dtype) is False:
            # Integers are no probabilities to begin with: another rule's fault.
            return HOLDS
        if rows is None:
            return self._without_rows(case, part)
        # A row of zeros takes its sample out of the loss: soft targets know no ignore index.
        sound = rows.rounded_probabilities and rows.rounded_probabilities + rows.empty == rows.read
        # A running program that weighs its labels so does it on purpose.
        weighted = case.observation.in_passing and is_weighted_labels(case, rows)
        return HOLDS if sound or weighted else self._describe(case, part)

    def _without_rows(self, case: Case, part: Part) -> Answer:
        """Where it is not known which axis holds the classes, a negative entry still tells."""
        made = told_maker(part)
        if made in {Maker.LINEAR, Maker.LOG_SOFTMAX}:
            said = f"{made} made these, and gives negative entries too"
        elif part.facts.smallest is None or part.facts.smallest >= 0:
            return CANNOT_TELL
        else:
            said = f"the smallest is {part.facts.smallest:.4g}"
        advice = "give probabilities, or say that these are logarithms", "log_target=True"
        if made is Maker.LINEAR:
            advice = "give probabilities, if these are logits", f"F.softmax({part.name}, dim={_axis(case)})"
        return self.finding(
            case,
            part,
            f"{case.loss} reads {part.name} as class probabilities; {said}",
            severity=Severity.ERROR if case.is_nan else Severity.WARNING,
            refused=False,
            fixes=[changes_values(*advice)],
        )

    def _describe(self, case: Case, part: Part) -> Finding:
        rows = part.facts.rows
        assert rows is not None  # noqa: S101 - look() has seen them
        wrong = rows.read - rows.rounded_probabilities
        if rows.negative:
            said = f"{rows.negative:,} of {rows.read:,} rows have negative entries"
        else:
            sums = f"from {rows.least_sum:.4g} to {rows.greatest_sum:.4g}"
            said = f"{wrong:,} of {rows.read:,} rows do not sum to 1 ({sums})"
        several = not rows.negative and rows.least_sum >= 0 and part.facts.largest == 1 and rows.greatest_sum > 1
        return self.finding(
            case,
            part,
            f"{case.loss} reads {part.name} as class probabilities; {said}",
            severity=Severity.ERROR if case.is_nan and rows.negative else Severity.WARNING,
            refused=False,
            certainty=Certainty.POSSIBLE if _is_weighted(case, rows) else Certainty.CERTAIN,
            cause=_cause(case, rows, several=several),
            fixes=_fixes(case, part, negative=rows.negative > 0, several=several),
            rows=rows.read,
            least_sum=rows.least_sum,
            greatest_sum=rows.greatest_sum,
        )


def _axis(case: Case) -> int:
    layout = case.meant.layout
    return layout.class_axis if layout is not None and layout.class_axis is not None else 1


def _is_weighted(case: Case, rows: Rows) -> bool:
    """Whether each row may be a distribution times a weight of its sample, in a loss that is not averaged by torch."""
    if case.contract.reduction not in {"sum", "none"} or rows.negative:
        return False
    return is_weighted_labels(case, rows) or rows.whole < rows.read


def _cause(case: Case, rows: Rows, *, several: bool) -> str:
    given = case.input.facts.rows if case.input is not None else None
    # Only what has negative entries can be the logits that the input should be.
    if rows.negative and given is not None and given.read and given.probabilities == given.read:
        return "input and target may be swapped: the input holds probabilities"
    if _is_weighted(case, rows):
        return "each row may be a distribution times a weight of its sample"
    return "several labels at once: a case for binary_cross_entropy_with_logits" if several else ""


def _fixes(case: Case, part: Part, *, negative: bool, several: bool) -> list[Fix]:
    """Dividing by the sum is for weights: logarithms so divided would look like a distribution and be none."""
    if several and case.input is not None:
        code = f"F.binary_cross_entropy_with_logits({case.input.name}, {part.name})"
        return [changes_values("take the loss for several labels at once", code)]
    if not negative:
        code = f"{part.name} / {part.name}.sum(1, keepdim=True)"
        return [*swapped(case), changes_values("make each row a distribution", code)]
    if part.facts.largest is not None and part.facts.largest <= 0:
        return [changes_values("give probabilities, if these are their logarithms", f"{part.name}.exp()")]
    return [*swapped(case), changes_values("give probabilities, if these are logits", f"F.softmax({part.name}, dim=1)")]
