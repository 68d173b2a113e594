"""Losses between two distributions: kl_div."""

from __future__ import annotations

from lossguard.contracts.contract import Argument, Contract, Layout, Meaning, Option, Reading, Relation, Role
from lossguard.contracts.dtypes import COMMON_FLOATS
from lossguard.contracts.loss import Loss, Settings, real_loss_defaults


def _kl_div(settings: Settings) -> Contract:
    meaning = Meaning.LOG_PROBABILITIES if settings["log_target"] else Meaning.CLASS_PROBABILITIES
    arguments = (
        Argument("input", Role.INPUT, Meaning.LOG_PROBABILITIES, COMMON_FLOATS),
        Argument("target", Role.TARGET, meaning, COMMON_FLOATS),
    )
    reading = Reading(
        name="distributions",
        arguments=arguments,
        # Torch sums over everything and asks for no axis; with two dimensions it is clear which is meant.
        layouts=(
            Layout({"input": ("N C",), "target": ("*t",)}, class_axis=1),
            Layout({"input": ("*s",), "target": ("*t",)}),
        ),
        options=(
            Option("reduction", settings.reduction, (str,), choices=("none", "mean", "sum", "batchmean")),
            Option("log_target", settings["log_target"], (bool,)),
        ),
        relations=(Relation("broadcast", ("input", "target")),),
    )
    return Contract("kl_div", (reading,), settings.reduction, lowest_result=0.0)


KL_DIV = Loss(
    "kl_div",
    "KLDivLoss",
    ("input", "target", "size_average", "reduce", "reduction", "log_target"),
    ("input", "target"),
    real_loss_defaults(log_target=False),
    _kl_div,
)
