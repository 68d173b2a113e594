"""LG206."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.contract import Meaning
from lossguard.facts.facts import Maker
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

#: How far beyond 0 or 1 a rounding or an interpolation gets, as half precision does it.
_ROUNDING: Final = 1e-2


class InputOutsideUnitInterval(Rule):
    """The input of binary_cross_entropy lies outside 0 to 1: it is no probability.

    Why it matters
        The loss takes a logarithm of the input and of one minus it. Torch raises on the CPU; on CUDA an
        assert fires inside the kernel and the device is lost to the process.

    Usual causes
        The model ends without a sigmoid. A ReLU or a sum made values above 1. An interpolation or a
        float16 rounding overshot.

    Fix safety
        binary_cross_entropy_with_logits takes the logits as they are; it is the safer loss anyway. What
        only overshot by a rounding is a probability already: that loss would be wrong for it, clamping is not.
    """

    code = "LG206"
    seek = "unsquashed"
    cost = Cost.DEEP
    explains = frozenset({"LG303"})
    says = (
        TorchMessage(
            "all elements of input should be between 0 and 1",
            devices="CPU",
            versions="1.5 and later",
            shows="all elements of input should be between 0 and 1",
            weight=60,
        ),
        TorchMessage(
            "Assertion `input_val >= zero && input_val <= one` failed",
            devices="CUDA",
            versions="1.5 and later",
            shows="input_val >= zero && input_val <= one",
            weight=60,
        ),
        TorchMessage(
            "Assertion `input >= 0. && input <= 1.` failed",
            devices="CUDA",
            versions="1.4 and before",
            shows="input >= 0. && {?*}input <= 1.",
            weight=60,
        ),
        TorchMessage(
            "Assertion `x >= 0. && x <= 1.' failed. input value should be between 0~1, but got 1.5",
            devices="CPU",
            versions="1.4 and before",
            shows="input value should be between 0~1",
            weight=60,
        ),
        TorchMessage(
            "Assertion `x >= 0. && x <= 1.' failed at BCECriterion.c:62",
            devices="CPU",
            versions="1.4 and before",
            shows="Assertion x >= 0. && x <= 1.",
            weight=60,
        ),
        TorchMessage(
            "CUDA error: device-side assert triggered",
            devices="CUDA",
            shows="device-side assert triggered",
            certainty=Certainty.POSSIBLE,
            weight=20,
            needs="no assert",
        ),
    )
    verify = "print(input.min(), input.max(), input.isnan().any())"
    remedies = (changes_values("leave the sigmoid to the loss", "F.binary_cross_entropy_with_logits(logits, target)"),)
    examples = (
        breaks("F.binary_cross_entropy", "torch.tensor([0.5, 1.5]), torch.tensor([0.0, 1.0])", "raises RuntimeError"),
        breaks("nn.BCELoss()", "torch.tensor([-3.0, 4.0]), torch.tensor([0.0, 1.0])", "raises RuntimeError"),
        passes("F.binary_cross_entropy", "torch.tensor([0.0, 1.0]), torch.tensor([0.0, 1.0])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when probabilities lie outside 0 to 1."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.PROBABILITIES):
            number = part.facts.out_of_bounds
            if part.facts.smallest is None and part.facts.maker in {Maker.LINEAR, Maker.LOG_SOFTMAX}:
                # Source code tells no values, but that nothing keeps them between 0 and 1.
                found.append(self._describe(case, part, f"{part.facts.maker} made {part.name}, and gives others too"))
            elif number is None:
                return CANNOT_TELL
            elif number:
                is_or_are = "is" if number == 1 else "are"
                said = f"{count(number, 'value')} of {part.facts.count:,} in {part.name} {is_or_are} outside"
                found.append(self._describe(case, part, said))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, said: str) -> Finding:
        target = case.target.name if case.target else "target"
        return self.finding(
            case,
            part,
            f"{case.loss} needs probabilities from 0 to 1; {said}",
            severity=Severity.ERROR if case.is_enforced(part, "bounds") else Severity.WARNING,
            cause=_cause(part),
            fixes=[
                changes_values("bring them back to the edge", f"{part.name}.clamp(0, 1)")
                if _is_overshoot(part)
                else changes_values(
                    "take the loss that is made for logits",
                    f"F.binary_cross_entropy_with_logits({part.name}, {target})",
                )
            ],
            samples=True,
        )


def _is_overshoot(part: Part) -> bool:
    """Whether these are probabilities that a rounding or an interpolation pushed over the edge."""
    low, high = part.facts.smallest, part.facts.largest
    return low is not None and high is not None and low >= -_ROUNDING and high <= 1 + _ROUNDING and high > _ROUNDING


def _cause(part: Part) -> str:
    if _is_overshoot(part):
        return "probabilities that a rounding, a sum or an interpolation pushed over the edge"
    return "these look like logits: a sigmoid is missing" if part.facts.below and part.facts.above else ""
