"""ctc_loss: label sequences without alignment, and lengths that say how much of each is read."""

from __future__ import annotations

from typing import Any

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
    SizeOf,
)
from lossguard.contracts.dtypes import INTEGERS
from lossguard.contracts.loss import Loss, Settings
from lossguard.records import replace

_WIDE_FLOATS = frozenset({"float32", "float64"})


def _ctc(settings: Settings) -> Contract:
    blank = settings["blank"]
    labels = Bounds(0, "C", excluded=blank if isinstance(blank, int) else None)
    total = settings["total"]
    flat = str(total) if isinstance(total, int) and total >= 0 else "L"
    reading = Reading(
        name="label sequences",
        arguments=(
            Argument("log_probs", Role.INPUT, Meaning.LOG_PROBABILITIES, _WIDE_FLOATS),
            Argument("targets", Role.TARGET, Meaning.LABEL_SEQUENCES, bounds=labels, lengths="target_lengths"),
            _lengths("input_lengths", "T"),
            replace(_lengths("target_lengths", SizeOf("targets", -1)), steps=("targets", "input_lengths")),
        ),
        layouts=(
            Layout(
                {
                    "log_probs": ("T N C",),
                    "targets": ("N S", flat),
                    "input_lengths": ("#N",),
                    "target_lengths": ("#N",),
                },
                class_axis=2,
            ),
            Layout(
                {
                    "log_probs": ("T C",),
                    "targets": ("S", "1 S"),
                    "input_lengths": ("", "1"),
                    "target_lengths": ("", "1"),
                },
                class_axis=1,
            ),
        ),
        options=(settings.reduction_option(), Option("blank", blank, (int,), lowest=0)),
        leaders=("log_probs",),
    )
    # Any dtype is cast to int64 without a word, and no label is looked at before it becomes an address.
    silent = (Leniency("targets", "dtype"),)
    return Contract("ctc_loss", (reading,), settings.reduction, silent, corrupting=frozenset({"targets"}))


def _lengths(name: str, longest: str | SizeOf) -> Argument:
    bounds = Bounds(0, longest, closed=True)
    return Argument(name, Role.LENGTHS, Meaning.LENGTHS, INTEGERS, bounds=bounds, plain_values=True)


def _with_total(values: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with the number of labels that the target lengths add up to."""
    lengths: Any = values.get("target_lengths")
    try:
        values["total"] = int(lengths.sum()) if hasattr(lengths, "sum") else sum(lengths or ())
    except (TypeError, ValueError, RuntimeError, NotImplementedError):
        values["total"] = None
    return values


CTC_LOSS = Loss(
    "ctc_loss",
    "CTCLoss",
    (
        *("log_probs", "targets", "input_lengths", "target_lengths"),
        *("blank", "reduction", "zero_infinity", "total"),
    ),
    ("log_probs", "targets", "input_lengths", "target_lengths"),
    {"blank": 0, "reduction": "mean", "zero_infinity": False, "total": None},
    _ctc,
    forward=("log_probs", "targets", "input_lengths", "target_lengths"),
    prepare=_with_total,
)
