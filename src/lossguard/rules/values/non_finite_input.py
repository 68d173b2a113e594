"""LG207."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.contract import Meaning, Role
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, count, passes
from lossguard.rules.saying import TorchMessage

#: What is said where the model itself is at fault by now, and no line of the program.
WEIGHTS_LOST: Final = (
    "the weights themselves are not finite, so that nothing computed with them is: as a rule an earlier step, "
    "whose loss or gradient was not finite, made them so"
)
_ANEW: Final = changes_values("find the first step whose loss is not finite, and begin anew with sound weights")


class NonFiniteInput(Rule):
    """The input holds NaN, or infinities that make the loss NaN or infinite.

    Why it matters
        One NaN in the output of the model makes the loss NaN and, with the next step, all weights. A
        NaN in a row that is ignored leaves the loss finite and its gradient NaN. Minus infinity is a
        usual way to mask a class and is left alone until it reaches the loss.

    Usual causes
        A logarithm of zero or of a negative number (`x.log()` for `x.log_softmax(1)`); a learning rate
        too high; a division by zero; float16 that overflowed; a masked class that is the label; masked
        logits together with soft targets or label smoothing, where 0 times infinity is NaN.

    Fix safety
        Replacing NaN by a number hides the fault. Find the line that made it.
    """

    code = "LG207"
    seek = "non-finite"
    cost = Cost.DEEP
    explains = frozenset({"LG301", "LG302", "LG303", "LG206"})
    says = (
        TorchMessage(
            "all elements of input should be between 0 and 1",
            devices="CPU",
            shows="all elements of input should be between 0 and 1",
            weight=70,
            needs="nan",
        ),
        TorchMessage(
            "all elements of input should be between 0 and 1",
            devices="CPU",
            shows="all elements of input should be between 0 and 1",
            certainty=Certainty.POSSIBLE,
            weight=40,
            because="NaN counts as outside",
        ),
        TorchMessage(
            "Assertion `input_val >= zero && input_val <= one` failed",
            devices="CUDA",
            shows="input_val >= zero && input_val <= one",
            weight=70,
            needs="nan",
        ),
        TorchMessage(
            "Assertion `input_val >= zero && input_val <= one` failed",
            devices="CUDA",
            shows="input_val >= zero && input_val <= one",
            certainty=Certainty.POSSIBLE,
            weight=40,
            because="NaN counts as outside",
        ),
        TorchMessage(
            "Assertion `input >= 0. && input <= 1.` failed",
            devices="CUDA",
            versions="1.4 and before",
            shows="input >= 0. && {?*}input <= 1.",
            certainty=Certainty.POSSIBLE,
            weight=40,
            because="NaN counts as outside",
        ),
        TorchMessage("Loss is nan, stopping training", shows="loss is nan", certainty=Certainty.POSSIBLE, weight=40),
        TorchMessage(
            "Function 'LogSoftmaxBackward0' returned nan values in its 0th output.",
            shows=(
                "{softmax|nllloss|crossentropy|mseloss|l1loss|huberloss|kldiv|ctcloss|marginloss}{word} returned nan "
                "values"
            ),
            certainty=Certainty.POSSIBLE,
        ),
    )
    quotes_torch = False
    verify = "torch.autograd.set_detect_anomaly(True)  # and print(input.isnan().any(), input.isinf().any())"
    examples = (
        breaks("F.nll_loss", "torch.tensor([[-1.0, 2.0]]).log(), torch.tensor([0])", "nan"),
        passes("F.nll_loss", "torch.tensor([[0.3, 0.7]]).log(), torch.tensor([0])"),
        breaks("F.cross_entropy", "torch.tensor([[0.0, float('nan')]]), torch.tensor([0])", "nan"),
        breaks("F.cross_entropy", "torch.tensor([[0.0, float('-inf')]]), torch.tensor([1])", "infinite"),
        breaks("F.cross_entropy", "torch.tensor([[0.0, float('-inf')]]), torch.tensor([[1.0, 0.0]])", "nan"),
        breaks(
            "F.binary_cross_entropy",
            "torch.tensor([0.5, float('nan')]), torch.tensor([0.0, 1.0])",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.tensor([[0.0, float('-inf')], [1.0, 2.0]]), torch.tensor([0, 1])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when NaN is in an input, or infinities come through to the loss."""
        found: list[Finding] = []
        unknown = False
        for part in case.parts:
            if part.spec.role is not Role.INPUT:
                continue
            if part.facts.all_finite is None:
                unknown = True
            elif part.facts.nan or (not part.facts.all_finite and (case.is_nan or case.is_infinite)):
                found.append(self._describe(case, part))
            else:
                unknown |= not part.facts.all_finite and case.is_nan is None
        return found or (CANNOT_TELL if unknown else HOLDS)

    def _describe(self, case: Case, part: Part) -> Finding:
        facts = part.facts
        kinds = {"NaN": facts.nan, "inf": facts.positive_infinity, "-inf": facts.negative_infinity}
        said = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
        if case.is_nan:
            effect = "the loss is NaN"
        elif case.is_infinite:
            effect = "the loss is infinite"
        else:
            effect = "gradients become NaN" if case.is_nan is False else "the loss becomes NaN"
        return self.finding(
            case,
            part,
            f"{case.loss} needs finite {part.spec.meaning}; {part.name} has {said} in "
            f"{count(facts.count or 0, 'value')}, and {effect}",
            severity=Severity.WARNING if case.is_nan is False else Severity.ERROR,
            certainty=Certainty.LIKELY if case.is_nan is None else Certainty.CERTAIN,
            cause=_cause(part),
            fixes=[_ANEW] if facts.weights_finite is False else [],
            samples=True,
            refused=part.spec.bounds is not None and case.is_enforced(part, "bounds"),
        )


def _cause(part: Part) -> str:
    facts = part.facts
    if facts.weights_finite is False:
        return WEIGHTS_LOST
    if part.spec.meaning is Meaning.LOG_PROBABILITIES and facts.nan:
        return "NaN comes of what is not finite, or of a logarithm of negative numbers, for which log_softmax is right"
    if part.spec.meaning is Meaning.LOG_PROBABILITIES and facts.negative_infinity:
        return "a logarithm of a probability that is exactly 0: use log_softmax, which takes the logits themselves"
    if facts.negative_infinity and not facts.nan and not facts.positive_infinity:
        return "a masked class is asked for: by the label itself, by soft targets or by label smoothing"
    return ""
