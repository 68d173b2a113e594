"""Losses of real numbers: how far the input is from the target."""

from __future__ import annotations

import math

from lossguard.contracts.contract import (
    Argument,
    Bounds,
    Contract,
    Layout,
    Leniency,
    Meaning,
    Option,
    Reading,
    Relation,
    Role,
)
from lossguard.contracts.dtypes import BOOL, COMMON_FLOATS, COMPLEX, REALS
from lossguard.contracts.loss import Loss, Settings, real_loss_defaults

_ANY_TWO = Layout({"input": ("*s",), "target": ("*t",), "weight": ("*s",)})
_NOT_NEGATIVE = Bounds(0, math.inf, closed=True, whole=False)
_WEIGHT = Argument("weight", Role.WEIGHT, Meaning.ENTRY_WEIGHTS, required=False)


def _distance(
    loss: str,
    settings: Settings,
    *options: Option,
    dtypes: frozenset[str] = REALS,
    input_dtypes: frozenset[str] = REALS,
    backward_like: str | None = None,
    promotes: bool = True,
) -> Contract:
    """A loss that broadcasts both sides, with a warning of torch's, and promotes their dtypes."""
    target = Argument("target", Role.TARGET, Meaning.REALS, dtypes, backward_like=backward_like)
    reading = Reading(
        name="real numbers",
        arguments=(Argument("input", Role.INPUT, Meaning.REALS, input_dtypes), target, _WEIGHT),
        layouts=(_ANY_TWO,),
        options=(settings.reduction_option(), *options),
        relations=(Relation("broadcast", ("input", "target"), warned=True),),
        # With weights torch computes step by step, and a floating weight makes floats of integers.
        one_float_of=("input", "target") if promotes and "weight" not in settings.given else (),
    )
    return Contract(loss, (reading,), settings.reduction)


def _mse(settings: Settings) -> Contract:
    return _distance("mse_loss", settings)


def _l1(settings: Settings) -> Contract:
    # Torch subtracts, which truth values do not support; of complex numbers it takes the distance.
    taken = (REALS | COMPLEX) - BOOL
    averages = settings.reduction == "mean"
    return _distance("l1_loss", settings, dtypes=taken, input_dtypes=taken, promotes=averages)


def _smooth_l1(settings: Settings) -> Contract:
    # With a beta of 0 torch calls l1_loss, which sums integers as they are.
    promotes = settings["beta"] != 0 or settings.reduction == "mean"
    return _distance("smooth_l1_loss", settings, settings.number_option("beta", lowest=0.0), promotes=promotes)


def _huber(settings: Settings) -> Contract:
    delta = settings.number_option("delta", lowest=math.ulp(0.0), reason="the loss is quadratic within delta of 0")
    return _distance("huber_loss", settings, delta, input_dtypes=COMMON_FLOATS, backward_like="input")


def _gaussian(settings: Settings) -> Contract:
    taken = (REALS | COMPLEX) - BOOL
    reading = Reading(
        name="mean and variance",
        arguments=(
            Argument("input", Role.INPUT, Meaning.REALS, taken),
            Argument("target", Role.TARGET, Meaning.REALS, taken),
            Argument("var", Role.OTHER, Meaning.POSITIVES, bounds=_NOT_NEGATIVE, plain_values=True),
        ),
        layouts=(Layout({"input": ("*s",), "target": ("*t",)}),),
        options=(settings.reduction_option(),),
        relations=(Relation("broadcast", ("input", "target")), Relation("variance", ("input", "var"))),
    )
    return Contract("gaussian_nll_loss", (reading,), settings.reduction)


def _poisson(settings: Settings) -> Contract:
    rates = None if settings["log_input"] else _NOT_NEGATIVE
    meaning = Meaning.REALS if settings["log_input"] else Meaning.POSITIVES
    reading = Reading(
        name="rates",
        arguments=(
            Argument("input", Role.INPUT, meaning, bounds=rates),
            Argument("target", Role.TARGET, Meaning.REALS),
        ),
        layouts=(Layout({"input": ("*s",), "target": ("*t",)}),),
        options=(settings.reduction_option(),),
        relations=(Relation("broadcast", ("input", "target")),),
    )
    return Contract("poisson_nll_loss", (reading,), settings.reduction, (Leniency("input", "bounds"),))


_CLASSIC = ("input", "target", "size_average", "reduce", "reduction")
_WEIGHTED = ("input", "target", "weight")

MSE_LOSS = Loss("mse_loss", "MSELoss", (*_CLASSIC, "weight"), _WEIGHTED, real_loss_defaults(weight=None), _mse)
L1_LOSS = Loss("l1_loss", "L1Loss", (*_CLASSIC, "weight"), _WEIGHTED, real_loss_defaults(weight=None), _l1)
SMOOTH_L1_LOSS = Loss(
    "smooth_l1_loss",
    "SmoothL1Loss",
    (*_CLASSIC, "beta"),
    ("input", "target"),
    real_loss_defaults(beta=1.0),
    _smooth_l1,
)
HUBER_LOSS = Loss(
    "huber_loss",
    "HuberLoss",
    ("input", "target", "reduction", "delta", "weight"),
    _WEIGHTED,
    {"reduction": "mean", "delta": 1.0, "weight": None},
    _huber,
)
GAUSSIAN_NLL_LOSS = Loss(
    "gaussian_nll_loss",
    "GaussianNLLLoss",
    ("input", "target", "var", "full", "eps", "reduction"),
    ("input", "target", "var"),
    {"full": False, "eps": 1e-6, "reduction": "mean"},
    _gaussian,
)
POISSON_NLL_LOSS = Loss(
    "poisson_nll_loss",
    "PoissonNLLLoss",
    ("input", "target", "log_input", "full", "size_average", "eps", "reduce", "reduction"),
    ("input", "target"),
    real_loss_defaults(log_input=True, full=False, eps=1e-8),
    _poisson,
)
