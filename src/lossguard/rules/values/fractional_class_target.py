"""LG204."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, count, passes
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage


class FractionalClassTarget(Rule):
    """A class target holds fractions: it is not made of class indices at all.

    Why it matters
        0.7 is no class. `.long()` makes it 0, so a whole data set can turn into class 0 without a word.

    Usual causes
        A mask divided by 255 together with the image. Mixup or label smoothing, which make
        probabilities. Regression labels given to a classification loss. Labels normalised like features.

    Fix safety
        None is lossless: undo the scaling where it happened, or take the loss that fits the labels.
    """

    code = "LG204"
    seek = "fractional"
    cost = Cost.VALUES
    explains = frozenset({"LG101", "LG209", "LG401", "LG403", "LG405"})
    says = (
        TorchMessage(
            "expected target dtype to be Long or Byte, but got Float",
            versions="2.12 and later",
            shows="expected target dtype to be Long or Byte, but got {target_dtype:float}",
            certainty=Certainty.POSSIBLE,
            weight=30,
        ),
        TorchMessage(
            "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Float'",
            devices="CUDA",
            versions="1.10 to 2.11",
            shows="nll_loss{index} not implemented for {target_dtype:float}",
            certainty=Certainty.POSSIBLE,
            weight=30,
        ),
        TorchMessage(
            "expected scalar type Long but found Float",
            shows="expected scalar type Long but found {target_dtype:float}",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=25,
        ),
    )
    quotes_torch = False
    verify = "print((target != target.round()).sum())"
    examples = (
        breaks("F.cross_entropy", "torch.randn(3, 5), torch.tensor([0.7, 2.0, 3.5])", "raises RuntimeError"),
        breaks(
            "F.nll_loss",
            "torch.randn(2, 2).log_softmax(1), torch.tensor([[0.3, 0.7], [0.6, 0.4]])",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(2, 2), torch.tensor([[0.3, 0.7], [0.6, 0.4]])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when class indices have fractional parts."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            if part.facts.fractional is None:
                return CANNOT_TELL
            if part.facts.fractional:
                found.append(self._describe(case, part))
        return found or HOLDS

    def _describe(self, case: Case, part: Part) -> Finding:
        facts = part.facts
        silent = facts.kind == "tensor" and not case.is_enforced(part, "dtype")
        cause, fixes = _cause(case, part)
        return self.finding(
            case,
            part,
            f"{case.loss} needs whole class indices; {facts.fractional:,} of "
            f"{count(facts.count or 0, 'value')} in {part.name} have a fraction",
            severity=Severity.WARNING if silent else Severity.ERROR,
            cause=cause,
            fixes=fixes,
            samples=True,
        )


def _cause(case: Case, part: Part) -> tuple[str, list[Fix]]:
    given, classes = case.input.name if case.input else "input", case.classes or 0
    facts = part.facts
    rows = facts.rows
    if rows is not None and rows.read and rows.probabilities == rows.read:
        soft = f"F.cross_entropy({given}, {part.name})"
        return (
            "each row sums to 1: these are class probabilities, as mixup and smoothing make them",
            [changes_values("take the loss that accepts probabilities", soft)],
        )
    if facts.largest is not None and facts.smallest is not None and facts.smallest >= 0 and facts.largest <= 1:
        return (
            "all values lie between 0 and 1: a mask scaled like an image, or probabilities",
            [_unscaled(part, factor) for factor in dict.fromkeys((255, classes - 1, classes)) if factor > 1],
        )
    return (
        "numbers on a scale: regression labels, or labels normalised like features",
        [changes_values("take a loss for real numbers, such as F.mse_loss, and a model with one output")],
    )


def _unscaled(part: Part, factor: int) -> Fix:
    """The labels times what they may have been divided by, if they were."""
    scaled = f"{part.name} * {factor}"
    return changes_values(
        "undo the scaling where the label is read",
        f"({scaled}).round().long()",
        f"every label is a whole number of {factor}ths",
        provided=f"({scaled} - ({scaled}).round()).abs().max() < 0.01",
    )
