"""Losses whose target names one class for each sample: nll_loss and cross_entropy."""

from __future__ import annotations

from lossguard.contracts.contract import (
    Argument,
    Bounds,
    Contract,
    Layout,
    Leniency,
    Meaning,
    Option,
    Reading,
    Role,
    When,
)
from lossguard.contracts.dtypes import COMMON_FLOATS, INT64, UINT8
from lossguard.contracts.loss import Loss, Settings

# Metal casts a target of any dtype to int64 and checks no range; for one and two dimensions torch
# itself looks at the dtype first since 2.12.
_METAL = frozenset({"mps"})
_SILENT_ON_METAL = (
    Leniency("target", "dtype", _METAL, since=(2, 2), until=(2, 11), dimensions=frozenset({1, 2})),
    Leniency("target", "dtype", _METAL, since=(2, 2), dimensions=frozenset({3, 4, 5, 6, 7, 8})),
    Leniency("target", "bounds", _METAL),
)


def _index_layouts(settings: Settings, *, smoothing: bool = False) -> tuple[Layout, ...]:
    """Shapes and target dtypes for class indices; smoothing takes other kernels, with other tastes."""
    gathers = smoothing and "weight" in settings.given and settings.reduction == "mean"
    flat = INT64 if gathers else INT64 | UINT8
    weights = "C" if gathers else "#C"
    scalar = ("",) if smoothing else ("", "1")
    return (
        Layout(
            {"input": ("C",), "target": scalar, "weight": ("C",)},
            dtypes={"target": flat},
            class_axis=0,
        ),
        Layout(
            {"input": ("N C",), "target": ("N",), "weight": ("C",)},
            dtypes={"target": flat},
            class_axis=1,
        ),
        # The kernels for images count the weights and do not ask for their shape.
        Layout({"input": ("N C *d",), "target": ("N *d",), "weight": (weights,)}, class_axis=1),
    )


def _indices(settings: Settings, meaning: Meaning) -> tuple[Argument, ...]:
    ignore = settings["ignore_index"]
    bounds = Bounds(0, "C", ignore if isinstance(ignore, int) else None)
    # Reductions return early for no labels at all, after the look at the dtype that lets uint8 through.
    early = frozenset[str]() if settings.reduction == "none" else UINT8
    return (
        Argument("input", Role.INPUT, meaning, COMMON_FLOATS),
        Argument("target", Role.TARGET, Meaning.CLASS_INDICES, INT64, bounds=bounds, also_when_empty=early),
        Argument("weight", Role.WEIGHT, Meaning.CLASS_WEIGHTS, same_dtype_as="input", required=False),
    )


def _nll_loss(settings: Settings) -> Contract:
    reading = Reading(
        name="class indices",
        arguments=_indices(settings, Meaning.LOG_PROBABILITIES),
        layouts=_index_layouts(settings),
        options=(settings.reduction_option(), settings.ignore_index_option()),
    )
    return Contract("nll_loss", (reading,), settings.reduction, _SILENT_ON_METAL, lowest_result=0.0)


def _smoothing_option(settings: Settings) -> Option:
    return Option(
        "label_smoothing",
        settings["label_smoothing"],
        (float, int),
        lowest=0.0,
        highest=1.0,
        silent_below=True,
        reason="torch smooths nothing then",
    )


def _cross_entropy(settings: Settings) -> Contract:
    value = settings["label_smoothing"]
    smoothing = isinstance(value, float | int) and value > 0
    indices = Reading(
        name="class indices",
        arguments=_indices(settings, Meaning.LOGITS),
        layouts=_index_layouts(settings, smoothing=smoothing),
        options=(
            settings.reduction_option(),
            settings.ignore_index_option(),
            _smoothing_option(settings),
        ),
        when=When.OTHER_SHAPE,
    )
    probabilities = Reading(
        name="class probabilities",
        arguments=(
            Argument("input", Role.INPUT, Meaning.LOGITS, COMMON_FLOATS, unchecked_when_empty=True),
            Argument("target", Role.TARGET, Meaning.CLASS_PROBABILITIES, COMMON_FLOATS),
            Argument("weight", Role.WEIGHT, Meaning.CLASS_WEIGHTS, required=False),
        ),
        layouts=(
            Layout({"input": ("C",), "target": ("C",), "weight": ("C",)}, class_axis=0),
            Layout({"input": ("N C *d",), "target": ("N C *d",), "weight": ("C",)}, class_axis=1),
        ),
        options=(
            settings.reduction_option(),
            settings.ignore_index_option(highest=-1, reason="class probabilities have no ignore index"),
            _smoothing_option(settings),
        ),
        when=When.SAME_SHAPE,
    )
    return Contract("cross_entropy", (probabilities, indices), settings.reduction, _SILENT_ON_METAL, lowest_result=0.0)


_TENSORS = ("input", "target", "weight")
_NLL_PARAMETERS = ("input", "target", "weight", "size_average", "ignore_index", "reduce", "reduction")
_NLL_DEFAULTS = {
    "weight": None,
    "size_average": None,
    "ignore_index": -100,
    "reduce": None,
    "reduction": "mean",
}

NLL_LOSS = Loss("nll_loss", "NLLLoss", _NLL_PARAMETERS, _TENSORS, _NLL_DEFAULTS, _nll_loss)

CROSS_ENTROPY = Loss(
    "cross_entropy",
    "CrossEntropyLoss",
    (*_NLL_PARAMETERS, "label_smoothing"),
    _TENSORS,
    {**_NLL_DEFAULTS, "label_smoothing": 0.0},
    _cross_entropy,
)
