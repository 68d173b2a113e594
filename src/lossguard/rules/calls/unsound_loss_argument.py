"""LG505."""

from __future__ import annotations

import math
from typing import Any, Final

from lossguard.contracts.contract import Meaning, Option, Role
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes
from lossguard.rules.saying import TorchMessage


class UnsoundLossArgument(Rule):
    """A setting of the loss, or its class weights, cannot be meant.

    Why it matters
        Some settings torch refuses: an unknown reduction, an ignore index for class probabilities. Others
        it takes without a word: a negative or NaN label_smoothing smooths nothing, a negative weight
        rewards errors, a NaN weight makes the loss NaN, and weights of 0 for all classes of a batch
        divide 0 by 0.

    Usual causes
        Weights from `1 / count` with a class that does not occur; a smoothing given in percent; a setting
        meant for another loss.

    Fix safety
        Only you know what was meant.
    """

    code = "LG505"
    seek = "unsound"
    cost = Cost.VALUES
    says = (
        TorchMessage(
            "ignore_index is not supported for floating point target",
            versions="1.10 and later",
            shows="ignore_index is not supported for floating point target",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "label_smoothing must be between 0.0 and 1.0. Got: 1.5",
            versions="1.10 and later",
            shows="label_smoothing must be between 0.0 and 1.0",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "avg is not a valid value for reduction",
            shows="is not a valid value for reduction",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "huber_loss does not support non-positive values for delta.",
            shows="huber_loss does not support non-positive values for delta",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "smooth_l1_loss does not support negative values for beta.",
            shows="smooth_l1_loss does not support negative values for beta",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "margin must be greater than 0, got 0.0",
            versions="2.4 and later",
            shows="margin must be greater than 0",
            weight=70,
        ),
        TorchMessage(
            "blank must be in label range", shows="blank must be in label range", certainty=Certainty.CERTAIN, weight=80
        ),
        TorchMessage(
            ("UserWarning: reduction: 'mean' divides the total loss by both the batch size and the support size."),
            shows="reduction: mean divides the total loss by both the batch size and the support size",
            certainty=Certainty.CERTAIN,
            weight=80,
            warns=True,
        ),
    )
    quotes_torch = False
    examples = (
        breaks("F.cross_entropy", "torch.randn(2, 5), torch.tensor([0, 1]), label_smoothing=-0.1", "silent"),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([0, 1]), label_smoothing=0.1"),
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 5), torch.tensor([0, 1]), label_smoothing=10.0",
            "raises RuntimeError",
        ),
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 5), torch.tensor([0, 1]), reduction='average'",
            "raises ValueError",
        ),
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 5), torch.randn(2, 5).softmax(1), ignore_index=0",
            "raises RuntimeError",
        ),
        breaks(
            "nn.CrossEntropyLoss(weight=torch.tensor([1.0, float('nan')]))",
            "torch.randn(2, 2), torch.tensor([0, 1])",
            "nan",
        ),
        breaks(
            "nn.NLLLoss(weight=torch.zeros(2))",
            "torch.randn(2, 2).log_softmax(1), torch.tensor([0, 1])",
            "nan",
        ),
        breaks("F.smooth_l1_loss", "torch.randn(2), torch.randn(2), beta=-1.0", "raises RuntimeError"),
        breaks("F.triplet_margin_loss", "*torch.randn(3, 2, 4), margin=0.0", "raises ValueError"),
        breaks("F.triplet_margin_with_distance_loss", "*torch.randn(3, 2, 4), margin=-1.0", "raises ValueError"),
        breaks(
            "nn.BCEWithLogitsLoss(pos_weight=torch.tensor([-1.0, 2.0]))",
            "torch.randn(3, 2), torch.rand(3, 2)",
            "silent",
        ),
        passes("F.triplet_margin_loss", "*torch.randn(3, 2, 4), margin=0.5"),
        passes(
            "F.binary_cross_entropy_with_logits", "torch.randn(3), torch.ones(3), weight=torch.tensor([-1.0, 2, 0])"
        ),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([0, 1]), label_smoothing=0.1, ignore_index=0"),
        passes("nn.CrossEntropyLoss(weight=torch.tensor([0.0, 2.0]))", "torch.randn(2, 2), torch.tensor([0, 1])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an option is not what the contract allows, or the weights spoil the loss."""
        reading = case.meant.reading
        if reading is None:
            return CANNOT_TELL
        found = [
            self._option(case, option, said, silent=silent)
            for option in reading.options
            for said, silent in _objections(option)
        ]
        for part in case.parts:
            if part.spec.role is Role.WEIGHT:
                found.extend(self._weight(case, part))
        return found or HOLDS

    def _option(self, case: Case, option: Option, said: str, *, silent: bool) -> Finding:
        return self.finding(
            case,
            option.name,
            f"{case.loss} needs {option.name} to be {said}; it is {option.value!r}",
            severity=Severity.WARNING if silent else Severity.ERROR,
            cause=option.reason if silent or not option.silent_below else "",
            fixes=_fixes(option),
            value=option.value if isinstance(option.value, int | float | str) else repr(option.value),
        )

    def _weight(self, case: Case, weight: Part) -> list[Finding]:
        facts = weight.facts
        if facts.kind not in {None, "tensor"}:
            kind = "a numpy array" if facts.kind == "array" else f"a {facts.kind}"
            return [self.finding(case, weight, f"{case.loss} needs {weight.name} as a tensor; this is {kind}")]
        if facts.all_finite is None or facts.smallest is None:
            return []
        if not facts.all_finite:
            said = "finite weights; NaN or infinity is among them"
        # Weights of single entries may be negative on purpose, as advantages are.
        elif facts.smallest < 0 and weight.spec.meaning is not Meaning.ENTRY_WEIGHTS:
            said = f"weights that are not negative; the smallest is {facts.smallest:g}"
        elif facts.smallest == 0 and case.is_nan and case.contract.reduction == "mean":
            said = "a class weight above 0 for some label of the batch; they are all 0, so the mean is NaN"
        else:
            return []
        severity = Severity.ERROR if case.is_nan else Severity.WARNING
        fix = changes_values("count the classes again, and give none of them a weight of 1 / 0")
        certainty = Certainty.CERTAIN if case.is_nan is not None else Certainty.LIKELY
        message = f"{case.loss} needs {said}"
        return [self.finding(case, weight, message, severity=severity, certainty=certainty, fixes=[fix], refused=False)]


def _fixes(option: Option) -> list[Fix]:
    """The value that was meant, where only one can have been."""
    if option.choices is not None and "mean" in option.choices and str(option.value).lower() in _MEANT:
        return [
            changes_values(
                "say it in the word that torch knows", f'{option.name}="{_MEANT[str(option.value).lower()]}"'
            )
        ]
    if option.name == "ignore_index" and option.highest == -1:
        return [changes_values("leave it at its default", f"{option.name}=-100")]
    return []


#: Words for a reduction that other libraries have.
_MEANT: Final = {
    **dict.fromkeys(("average", "avg", "elementwise_mean", "mean_reduction", "batchmean"), "mean"),
    **dict.fromkeys(("add", "total"), "sum"),
    **dict.fromkeys(("null", "no", "false", ""), "none"),
}


def _objections(option: Option) -> list[tuple[str, bool]]:
    """What the option should be, and whether torch is silent about it; empty when nothing is wrong."""
    value: Any = option.value
    if not _is_of_kind(value, option.kinds):
        return [(" or ".join(_KINDS.get(kind, kind.__name__) for kind in option.kinds), False)]
    if option.choices is not None:
        return [] if value in option.choices else [(", ".join(map(repr, option.choices)), False)]
    if option.highest is not None and value > option.highest:
        return [(_limits(option), False)]
    if option.lowest is not None and (value < option.lowest or _is_nan(value)):
        return [(_limits(option), option.silent_below)]
    return []


def _is_of_kind(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds)


_KINDS: dict[type, str] = {int: "a whole number", float: "a number", str: "a word", bool: "True or False"}


def _limits(option: Option) -> str:
    if option.name == "ignore_index" and option.highest == -1:
        return "negative"
    if option.highest is None:
        return "above 0" if option.lowest and option.lowest > 0 else "not negative"
    return f"from {option.lowest:g} to {option.highest:g}"


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
