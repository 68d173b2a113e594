"""Losses whose labels are -1 and +1, which none of them checks."""

from __future__ import annotations

from lossguard.contracts.contract import Argument, Bounds, Contract, Layout, Leniency, Meaning, Reading, Relation, Role
from lossguard.contracts.dtypes import BOOL, COMMON_FLOATS, COMPLEX, INTEGERS, REALS
from lossguard.contracts.loss import Loss, Settings, real_loss_defaults

_SIGNS = Bounds(-1, 1, closed=True)
_UNCHECKED = (Leniency("target", "bounds"), Leniency("target", "dtype"))
_SIGNED = frozenset(INTEGERS - {"uint16", "uint32", "uint64"})


def _target(dtypes: frozenset[str] | None = None, neutral: int | None = 0) -> Argument:
    return Argument("target", Role.TARGET, Meaning.SIGNS, dtypes, bounds=_SIGNS, neutral=neutral)


def _soft_margin(settings: Settings) -> Contract:
    reading = Reading(
        name="signs",
        arguments=(Argument("input", Role.INPUT, Meaning.REALS, COMMON_FLOATS | COMPLEX), _target(REALS | COMPLEX)),
        layouts=(Layout({"input": ("*s",), "target": ("*t",)}),),
        options=(settings.reduction_option(),),
        relations=(Relation("expands", ("input", "target")),),
    )
    return Contract("soft_margin_loss", (reading,), settings.reduction, _UNCHECKED)


def _hinge_embedding(settings: Settings) -> Contract:
    numbers = COMMON_FLOATS if settings.reduction == "mean" else COMMON_FLOATS | INTEGERS
    reading = Reading(
        name="signs",
        arguments=(Argument("input", Role.INPUT, Meaning.REALS, numbers), _target(neutral=None)),
        layouts=(Layout({"input": ("*s",), "target": ("*t",)}),),
        options=(settings.reduction_option(),),
        relations=(Relation("broadcast", ("input", "target")),),
    )
    return Contract("hinge_embedding_loss", (reading,), settings.reduction, _UNCHECKED)


def _margin_ranking(settings: Settings) -> Contract:
    numbers = (COMMON_FLOATS | _SIGNED) - BOOL
    names = ("input1", "input2", "target")
    reading = Reading(
        name="signs",
        arguments=(
            Argument("input1", Role.INPUT, Meaning.REALS, numbers),
            Argument("input2", Role.INPUT, Meaning.REALS, numbers),
            _target(numbers),
        ),
        layouts=(Layout({"input1": ("*s",), "input2": ("*u",), "target": ("*t",)}),),
        options=(settings.reduction_option(),),
        leaders=("input1",),
        relations=(Relation("same rank", names), Relation("broadcast", names)),
    )
    return Contract("margin_ranking_loss", (reading,), settings.reduction, _UNCHECKED)


def _cosine_embedding(settings: Settings) -> Contract:
    reading = Reading(
        name="signs",
        arguments=(
            Argument("input1", Role.INPUT, Meaning.REALS),
            Argument("input2", Role.INPUT, Meaning.REALS),
            _target(),
        ),
        layouts=(
            Layout({"input1": ("D",), "input2": ("*u",), "target": ("",)}),
            Layout({"input1": ("N D",), "input2": ("*u",), "target": ("M",)}),
        ),
        options=(settings.reduction_option(),),
        leaders=("input1",),
        relations=(Relation("same rank", ("input1", "input2")), Relation("broadcast", ("input1", "input2"))),
    )
    return Contract("cosine_embedding_loss", (reading,), settings.reduction, _UNCHECKED)


_FLAGS = ("size_average", "reduce", "reduction")

SOFT_MARGIN_LOSS = Loss(
    "soft_margin_loss",
    "SoftMarginLoss",
    ("input", "target", *_FLAGS),
    ("input", "target"),
    real_loss_defaults(),
    _soft_margin,
)
HINGE_EMBEDDING_LOSS = Loss(
    "hinge_embedding_loss",
    "HingeEmbeddingLoss",
    ("input", "target", "margin", *_FLAGS),
    ("input", "target"),
    real_loss_defaults(margin=1.0),
    _hinge_embedding,
)
MARGIN_RANKING_LOSS = Loss(
    "margin_ranking_loss",
    "MarginRankingLoss",
    ("input1", "input2", "target", "margin", *_FLAGS),
    ("input1", "input2", "target"),
    real_loss_defaults(margin=0.0),
    _margin_ranking,
)
COSINE_EMBEDDING_LOSS = Loss(
    "cosine_embedding_loss",
    "CosineEmbeddingLoss",
    ("input1", "input2", "target", "margin", *_FLAGS),
    ("input1", "input2", "target"),
    real_loss_defaults(margin=0.0),
    _cosine_embedding,
)
