"""Losses of class indices with a margin, and those that carry their own last layer."""

from __future__ import annotations

from typing import Any

from lossguard.contracts.contract import Argument, Bounds, Contract, Layout, Meaning, Option, Reading, Role
from lossguard.contracts.dtypes import COMMON_FLOATS, INT64, UINT8
from lossguard.contracts.loss import Loss, Settings, real_loss_defaults
from lossguard.contracts.losses.class_index import CROSS_ENTROPY
from lossguard.records import replace

_WIDE_FLOATS = frozenset({"float32", "float64"})
_FLAGS = ("size_average", "reduce", "reduction")


def _multi_margin(settings: Settings) -> Contract:
    reading = Reading(
        name="class indices",
        arguments=(
            Argument("input", Role.INPUT, Meaning.REALS, _WIDE_FLOATS),
            Argument("target", Role.TARGET, Meaning.CLASS_INDICES, INT64, bounds=Bounds(0, "C")),
            Argument("weight", Role.WEIGHT, Meaning.CLASS_WEIGHTS, same_dtype_as="input", required=False),
        ),
        layouts=(
            Layout({"input": ("",), "target": ("", "1"), "weight": ("1",)}),
            Layout({"input": ("C",), "target": ("", "1"), "weight": ("C",)}, class_axis=0),
            Layout({"input": ("1 C",), "target": ("", "1"), "weight": ("C",)}, class_axis=1),
            Layout({"input": ("N C",), "target": ("N",), "weight": ("C",)}, class_axis=1),
        ),
        options=(settings.reduction_option(), Option("p", settings["p"], (int,), choices=(1, 2))),
    )
    return Contract("multi_margin_loss", (reading,), settings.reduction)


def _multilabel_margin(settings: Settings) -> Contract:
    reading = Reading(
        name="class indices, padded with -1",
        arguments=(
            Argument("input", Role.INPUT, Meaning.REALS, _WIDE_FLOATS),
            Argument("target", Role.TARGET, Meaning.CLASS_INDICES, INT64, bounds=Bounds(-1, "C")),
        ),
        layouts=(
            Layout({"input": ("",), "target": ("", "1")}),
            Layout({"input": ("C",), "target": ("C",)}),
            Layout({"input": ("N C",), "target": ("N C",)}),
        ),
        options=(settings.reduction_option(),),
    )
    return Contract("multilabel_margin_loss", (reading,), settings.reduction)


def _adaptive(settings: Settings) -> Contract:
    classes = settings["n_classes"]
    bounds = Bounds(0, classes) if isinstance(classes, int) else None
    features = settings["in_features"]
    wide = str(features) if isinstance(features, int) else "D"
    reading = Reading(
        name="class indices",
        arguments=(
            Argument("input", Role.INPUT, Meaning.REALS, COMMON_FLOATS),
            Argument("target", Role.TARGET, Meaning.CLASS_INDICES, INT64 | {"int32"}, bounds=bounds),
        ),
        layouts=(Layout({"input": (wide,), "target": ("",)}), Layout({"input": (f"N {wide}",), "target": ("N",)})),
    )
    return Contract("AdaptiveLogSoftmaxWithLoss", (reading,), "mean")


def _linear_cross_entropy(settings: Settings) -> Contract:
    """cross_entropy with the last layer inside: its readings, on the logits the two tensors will make."""
    ignore = settings["ignore_index"]
    inner = Settings({**settings.values, "ignore_index": -100 if ignore is None else ignore}, settings.given)
    contract = CROSS_ENTROPY.build(inner)
    readings = tuple(_on_features(reading, chosen=ignore is not None) for reading in contract.readings)
    return replace(contract, loss="linear_cross_entropy", readings=readings, logits_from="linear_weight")


def _on_features(reading: Reading, *, chosen: bool) -> Reading:
    soft = reading.name == "class probabilities"
    features = (
        Argument("input", Role.INPUT, Meaning.REALS, COMMON_FLOATS),
        Argument("linear_weight", Role.OTHER, Meaning.REALS, COMMON_FLOATS),
        Argument("linear_bias", Role.OTHER, Meaning.REALS, required=False),
    )
    # One sample takes what cross_entropy takes for one: with smoothing a scalar only.
    single = reading.layouts[0].shapes["target"]
    layouts = (
        ("D", "C D", "C", single),
        ("N D", "C D", "C", ("N C" if soft else "N",)),
        ("N D", "C *k D", "C *k", ("N C *k" if soft else "N *k",)),
    )
    options = reading.options
    if soft and chosen:
        limit = Option("ignore_index", 0, (int,), lowest=-1, highest=-1, reason="probabilities have no ignore index")
        options = (*(option for option in options if option.name != "ignore_index"), limit)
    return replace(
        reading,
        arguments=(*features, *(a for a in reading.arguments if a.role is not Role.INPUT)),
        layouts=tuple(
            Layout(
                {"input": (x,), "linear_weight": (w,), "linear_bias": (b,), "target": t, "weight": ("#C",)},
                dtypes={} if soft or "*" in w else {"target": INT64 | UINT8},
            )
            for x, w, b, t in layouts
        ),
        options=options,
        leaders=("input", "linear_weight"),
    )


def _carried(module: Any) -> dict[str, Any]:
    """What `nn.LinearCrossEntropyLoss` gives to the function."""
    shape = (module.num_classes, *module.out_features)
    bias = module.linear.bias
    return {
        "linear_weight": module.linear.weight.reshape((*shape, module.linear.in_features)),
        "linear_bias": None if bias is None else bias.reshape(shape),
        **{
            name: getattr(module, name)
            for name in ("weight", "reduction", "ignore_index", "label_smoothing", "options")
        },
    }


MULTI_MARGIN_LOSS = Loss(
    "multi_margin_loss",
    "MultiMarginLoss",
    ("input", "target", "p", "margin", "weight", *_FLAGS),
    ("input", "target", "weight"),
    real_loss_defaults(p=1, margin=1.0, weight=None),
    _multi_margin,
)
MULTILABEL_MARGIN_LOSS = Loss(
    "multilabel_margin_loss",
    "MultiLabelMarginLoss",
    ("input", "target", *_FLAGS),
    ("input", "target"),
    real_loss_defaults(),
    _multilabel_margin,
)
ADAPTIVE = Loss(
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveLogSoftmaxWithLoss",
    ("input", "target", "n_classes", "in_features"),
    ("input", "target"),
    {"n_classes": None, "in_features": None},
    _adaptive,
    home="",
)
LINEAR_CROSS_ENTROPY = Loss(
    "linear_cross_entropy",
    "LinearCrossEntropyLoss",
    (
        *("input", "linear_weight", "target", "linear_bias", "weight"),
        *("reduction", "ignore_index", "label_smoothing", "options"),
    ),
    ("input", "linear_weight", "target", "linear_bias", "weight"),
    {
        "linear_bias": None,
        "weight": None,
        "reduction": "mean",
        "ignore_index": None,
        "label_smoothing": 0.0,
        "options": None,
    },
    _linear_cross_entropy,
    forward=("input", "target"),
    from_module=_carried,
)
