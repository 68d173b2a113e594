"""Losses whose target says yes, no, or how much of a yes, for each entry of the input."""

from __future__ import annotations

from lossguard.contracts.contract import Argument, Bounds, Contract, Layout, Leniency, Meaning, Reading, Relation, Role
from lossguard.contracts.dtypes import COMMON_FLOATS, INTEGERS, NARROW_INTEGERS
from lossguard.contracts.loss import Loss, Settings, real_loss_defaults

_UNIT = Bounds(0, 1, closed=True, whole=False)
_SAME = Layout({"input": ("*s",), "target": ("*s",)})
_WEIGHT = Argument("weight", Role.WEIGHT, Meaning.ENTRY_WEIGHTS, required=False)
_WEIGHT_FITS = Relation("expands", ("target", "weight"))

# Only an assert in the kernel looks at values on a device, and Metal has none.
_METAL = frozenset({"mps"})
_SILENT_ON_METAL = (Leniency("input", "bounds", _METAL), Leniency("target", "bounds", _METAL))


def _binary_cross_entropy(settings: Settings) -> Contract:
    reading = Reading(
        name="probabilities",
        arguments=(
            Argument("input", Role.INPUT, Meaning.PROBABILITIES, COMMON_FLOATS, bounds=_UNIT),
            Argument("target", Role.TARGET, Meaning.UNIT_TARGETS, COMMON_FLOATS, same_dtype_as="input", bounds=_UNIT),
            _WEIGHT,
        ),
        layouts=(_SAME,),
        options=(settings.reduction_option(),),
        relations=(_WEIGHT_FITS,),
    )
    asserted = frozenset({"input", "target"})
    return Contract(
        "binary_cross_entropy", (reading,), settings.reduction, _SILENT_ON_METAL, asserting=asserted, lowest_result=0.0
    )


def _with_logits(settings: Settings) -> Contract:
    reading = Reading(
        name="logits",
        arguments=(
            Argument("input", Role.INPUT, Meaning.LOGITS, COMMON_FLOATS),
            Argument("target", Role.TARGET, Meaning.UNIT_TARGETS, COMMON_FLOATS, bounds=_UNIT, sets_result_dtype=True),
            _WEIGHT,
            Argument("pos_weight", Role.WEIGHT, Meaning.WEIGHTS, required=False),
        ),
        layouts=(_SAME,),
        options=(settings.reduction_option(),),
        relations=(_WEIGHT_FITS, Relation("expands", ("target", "pos_weight"))),
    )
    # Torch multiplies with the target as it is: 2, -1 and 255 give losses without a floor.
    unchecked = (Leniency("target", "bounds"),)
    return Contract("binary_cross_entropy_with_logits", (reading,), settings.reduction, unchecked, lowest_result=0.0)


def _multilabel_soft_margin(settings: Settings) -> Contract:
    taken = COMMON_FLOATS | (INTEGERS - NARROW_INTEGERS) | {"int32", "int16", "int8"}
    reading = Reading(
        name="logits",
        arguments=(
            Argument("input", Role.INPUT, Meaning.LOGITS, COMMON_FLOATS),
            Argument("target", Role.TARGET, Meaning.UNIT_TARGETS, taken, bounds=_UNIT),
            Argument("weight", Role.WEIGHT, Meaning.WEIGHTS, required=False),
        ),
        layouts=(Layout({"input": ("*s C",), "target": ("*t",)}),),
        options=(settings.reduction_option(),),
        relations=(Relation("broadcast", ("input", "target")),),
    )
    return Contract("multilabel_soft_margin_loss", (reading,), settings.reduction, (Leniency("target", "bounds"),))


BINARY_CROSS_ENTROPY = Loss(
    "binary_cross_entropy",
    "BCELoss",
    ("input", "target", "weight", "size_average", "reduce", "reduction"),
    ("input", "target", "weight"),
    real_loss_defaults(weight=None),
    _binary_cross_entropy,
)

BINARY_CROSS_ENTROPY_WITH_LOGITS = Loss(
    "binary_cross_entropy_with_logits",
    "BCEWithLogitsLoss",
    ("input", "target", "weight", "size_average", "reduce", "reduction", "pos_weight"),
    ("input", "target", "weight", "pos_weight"),
    real_loss_defaults(weight=None, pos_weight=None),
    _with_logits,
)

MULTILABEL_SOFT_MARGIN_LOSS = Loss(
    "multilabel_soft_margin_loss",
    "MultiLabelSoftMarginLoss",
    ("input", "target", "weight", "size_average", "reduce", "reduction"),
    ("input", "target", "weight"),
    real_loss_defaults(weight=None),
    _multilabel_soft_margin,
)
