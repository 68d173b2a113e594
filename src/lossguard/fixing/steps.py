"""The steps of fixing. Each takes a tensor and gives one that means the same labels.

Rules name a step only when the facts prove it lossless; after the last step the loss is judged again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from lossguard.findings import Finding, Safety, Step


def plan(findings: Sequence[Finding], argument: str) -> list[Step] | None:
    """The steps that fix `argument`; None when torch refuses it and no lossless fix is known."""
    steps: list[Step] = []
    for finding in findings:
        if finding.argument != argument:
            continue
        fixes = [r for r in finding.fixes if r.safety is Safety.LOSSLESS and r.step is not None]
        if not fixes and finding.is_error and finding.refused:
            return None
        steps.extend(fix.step for fix in fixes[:1] if fix.step is not None)
    # Shapes first: what is cast afterwards is already smaller.
    return sorted(dict.fromkeys(steps), key=lambda step: step.name == "cast")


def apply(steps: Sequence[Step], tensor: Any) -> Any:
    """The tensor after all steps."""
    for step in steps:
        tensor = _STEPS[step.name](tensor, step.argument)
    return tensor


def _cast(tensor: Any, dtype: int | str | None) -> Any:
    import torch

    return tensor.to(getattr(torch, str(dtype)))


def _squeeze(tensor: Any, axis: int | str | None) -> Any:
    return tensor.squeeze(axis)


def _unsqueeze(tensor: Any, axis: int | str | None) -> Any:
    return tensor.unsqueeze(axis)


def _argmax(tensor: Any, axis: int | str | None) -> Any:
    # argmax has no kernel for bool, and none for the small floats: one-hot rows fit into uint8.
    import torch

    return tensor.to(torch.uint8).argmax(axis)


_STEPS: Final[dict[str, Callable[[Any, int | str | None], Any]]] = {
    "cast": _cast,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "argmax": _argmax,
}
