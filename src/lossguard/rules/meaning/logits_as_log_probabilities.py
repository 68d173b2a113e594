"""LG301."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.facts.facts import Maker, Rows
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.meaning.reading_rows import (
    is_log_probabilities,
    is_probabilities,
    loss_for_logits,
    rows_of,
    told_maker,
)
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes
from lossguard.rules.saying import TorchMessage


class LogitsAsLogProbabilities(Rule):
    """Raw scores are given to a loss of log-probabilities.

    Why it matters
        nll_loss picks one entry of each row and changes its sign: it takes no logarithm and no softmax.
        With raw scores the loss can be made as negative as one likes by scaling them up, so training
        runs, the number falls for ever, and the model learns nothing.

    Usual causes
        The model ends in a linear layer, as cross_entropy wants it, and the loss was changed to
        nll_loss; or the log_softmax at the end was lost.

    Fix safety
        Use cross_entropy, or put log_softmax before the loss. Both change the number, which was wrong.
    """

    code = "LG301"
    seek = "scores"
    cost = Cost.DEEP
    says = (
        TorchMessage(
            "nll_loss = -3.2",
            shows="loss{: |=| = | }-{negative:number}",
            certainty=Certainty.POSSIBLE,
            weight=20,
            needs="nll loss",
            because="minus a log-probability is never negative",
        ),
    )
    quotes_torch = False
    verify = "print(input.exp().sum(1))"
    examples = (
        breaks("F.nll_loss", "3 * torch.randn(8, 5), torch.randint(5, (8,))", "silent"),
        breaks("F.nll_loss", "nn.Linear(3, 5)(torch.randn(8, 3)).log_softmax(0), torch.randint(5, (8,))", "silent"),
        passes("F.nll_loss", "torch.randn(8, 5).log_softmax(1), torch.randint(5, (8,))"),
        breaks(
            "F.nll_loss",
            "F.linear(torch.ones(4, 2), -torch.ones(3, 2, requires_grad=True)), torch.randint(3, (4,))",
            "silent",
        ),
        passes("F.nll_loss", "0.5 * torch.randn(8, 5).log_softmax(1), torch.randint(5, (8,))"),
        passes("F.cross_entropy", "3 * torch.randn(8, 5), torch.randint(5, (8,))"),
        passes(
            "F.nll_loss",
            "torch.distributions.Normal(torch.arange(3.0, requires_grad=True), 0.1).log_prob(torch.rand(4, 1)), "
            "torch.tensor([0, 1, 0, 1])",
        ),
        passes("F.nll_loss", "torch.randn(8, 5, dtype=torch.bfloat16).log_softmax(1), torch.randint(5, (8,))"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when rows do not exp-sum to 1, are no probabilities either, and no log_softmax was changed."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.LOG_PROBABILITIES):
            rows = rows_of(part, Meaning.LOG_PROBABILITIES)
            made = told_maker(part)
            if made is Maker.LINEAR:
                found.append(self._describe(case, part, f"{made} made these", Rows(), Certainty.CERTAIN))
                continue
            if made is Maker.LOG_SOFTMAX and case.meant.layout is not None and _along_another_axis(case, part):
                found.append(self._describe_axis(case, part, Rows()))
                continue
            if rows is None:
                return CANNOT_TELL
            if is_log_probabilities(rows) or is_probabilities(rows):
                continue
            if _along_another_axis(case, part):
                found.append(self._describe_axis(case, part, rows))
            elif _are_scores(part, rows):
                found.append(self._describe(case, part, _said(rows), rows, _certainty(part, rows)))
        return found or HOLDS

    def _describe_axis(self, case: Case, part: Part, rows: Rows) -> Finding:
        wrong, axis = part.facts.softmax_axis, _axis(case)
        return self.finding(
            case,
            part,
            f"{case.loss} needs log-probabilities along axis {axis}, the classes; a log_softmax made these along "
            f"axis {wrong}",
            severity=Severity.WARNING,
            cause="the probabilities of a class over the batch add up to 1, not those of a sample over the classes",
            fixes=[
                changes_values(f"let log_softmax go along axis {axis}", proof=f"F.log_softmax({part.name}, dim={axis})")
            ],
            rows=rows.read,
            class_axis=axis,
        )

    def _describe(self, case: Case, part: Part, said: str, rows: Rows, certainty: Certainty) -> Finding:
        is_layer = part.facts.maker is Maker.LINEAR
        return self.finding(
            case,
            part,
            f"{case.loss} needs log-probabilities; {said}",
            severity=Severity.WARNING,
            certainty=certainty,
            cause="these look like logits" if is_layer or not rows.positive else "logits, or logarithms of densities",
            fixes=[
                changes_values("make log-probabilities first", f"F.log_softmax({part.name}, dim={_axis(case)})"),
                *loss_for_logits(case),
            ],
            rows=rows.read,
            positive_rows=rows.positive,
            class_axis=_axis(case),
        )


def _said(rows: Rows) -> str:
    if rows.positive:
        return f"{rows.positive:,} of {rows.read:,} rows have entries above 0, and no logarithm of a probability is"
    strangers = rows.read - rows.log_probabilities
    return f"the exponentials of {strangers:,} of {rows.read:,} rows do not add up to 1"


def _certainty(part: Part, rows: Rows) -> Certainty:
    if rows.read == 1 and not rows.positive:
        return Certainty.POSSIBLE
    is_layer = part.facts.maker is Maker.LINEAR
    return Certainty.CERTAIN if rows.positive and rows.read > 1 and is_layer else Certainty.LIKELY


def _along_another_axis(case: Case, part: Part) -> bool:
    """Whether the last step was a log_softmax along an axis that is not the classes', where labels fix theirs."""
    if case.target is None or case.target.spec.meaning is Meaning.CLASS_PROBABILITIES:
        return False
    return part.facts.softmax_axis is not None and part.facts.softmax_axis != _axis(case)


def _are_scores(part: Part, rows: Rows) -> bool:
    """Whether these are scores, and not changed log-probabilities or logarithms of densities, which may be above 0."""
    if part.facts.maker in {Maker.LOG_SOFTMAX, Maker.DENSITY}:
        return False
    return rows.positive > 0 or part.facts.maker is Maker.LINEAR


def _axis(case: Case) -> int:
    layout = case.meant.layout
    return layout.class_axis if layout is not None and layout.class_axis is not None else 1
