"""One random call before both judges, torch and lossguard, and how they differ."""

from __future__ import annotations

import warnings

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from random_calls import RandomCall


def torch_says(call: RandomCall) -> str | None:
    """What torch raises, or "nan"; None when it is content."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result: torch.Tensor = getattr(F, call.loss)(call.input, call.target, **call.settings)
    except Exception as error:  # noqa: BLE001 - whatever torch raises is the answer
        return f"{type(error).__name__}: {error}"
    return "nan" if result.isnan().any() else None


def disagreement(call: RandomCall) -> str | None:
    """How the two judges differ on a call, with what is needed to make it again; None when they do not."""
    said = torch_says(call)
    report = lossguard.check(call.loss, call.input, call.target, **call.settings)
    if (report.verdict == "broken") != (said is not None):
        return f"torch: {said}; lossguard: {report.verdict}\n{call.describe()}\n{report}"
    if said not in {None, "nan"} and any(finding.code == "LG506" for finding in report):
        return f"torch: {said}; lossguard has no name for it\n{call.describe()}\n{report}"
    return None
