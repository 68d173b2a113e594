"""Losses of three tensors that are compared with each other: no target at all."""

from __future__ import annotations

import math

from lossguard.contracts.contract import Argument, Contract, Layout, Meaning, Reading, Relation, Role
from lossguard.contracts.dtypes import COMMON_FLOATS, COMPLEX, INTEGERS
from lossguard.contracts.loss import Loss, Settings, real_loss_defaults

_NUMBERS = COMMON_FLOATS | INTEGERS | COMPLEX
_NAMES = ("anchor", "positive", "negative")


def _triplet(loss: str, settings: Settings, relations: tuple[Relation, ...]) -> Contract:
    reading = Reading(
        name="triplets",
        arguments=tuple(Argument(name, Role.INPUT, Meaning.REALS, _NUMBERS) for name in _NAMES),
        layouts=(Layout({"anchor": ("*a",), "positive": ("*p",), "negative": ("*n",)}),),
        options=(
            settings.reduction_option(),
            settings.number_option("margin", lowest=math.ulp(0.0), reason="a margin of 0 asks for nothing"),
        ),
        leaders=("anchor",),
        relations=relations,
    )
    return Contract(loss, (reading,), settings.reduction)


def _triplet_margin(settings: Settings) -> Contract:
    alike = (Relation("same rank", _NAMES), Relation("broadcast", _NAMES[:2]), Relation("broadcast", _NAMES[::2]))
    return _triplet("triplet_margin_loss", settings, alike)


def _with_distance(settings: Settings) -> Contract:
    # What the shapes must be beyond their rank is the distance function's to say.
    return _triplet("triplet_margin_with_distance_loss", settings, (Relation("same rank", _NAMES),))


TRIPLET_MARGIN_LOSS = Loss(
    "triplet_margin_loss",
    "TripletMarginLoss",
    (*_NAMES, "margin", "p", "eps", "swap", "size_average", "reduce", "reduction"),
    _NAMES,
    real_loss_defaults(margin=1.0, p=2.0, eps=1e-6, swap=False),
    _triplet_margin,
)
TRIPLET_MARGIN_WITH_DISTANCE_LOSS = Loss(
    "triplet_margin_with_distance_loss",
    "TripletMarginWithDistanceLoss",
    (*_NAMES, "distance_function", "margin", "swap", "reduction"),
    _NAMES,
    {"distance_function": None, "margin": 1.0, "swap": False, "reduction": "mean"},
    _with_distance,
)
