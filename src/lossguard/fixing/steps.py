"""The steps of fixing. Each takes a tensor and gives one that means the same labels.

Rules name a step only when the facts prove it lossless. Each step is then compared with what it was given, value by
value, so that a rule that is mistaken loses nothing; after the last step the loss is judged again and run.
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


def apply(steps: Sequence[Step], tensor: Any) -> Any | None:
    """The tensor after all steps; None if one of them would lose a value."""
    for step in steps:
        after = _STEPS[step.name](tensor, step.argument)
        if not _keeps(step, tensor, after):
            return None
        tensor = after
    return tensor


def same_values(before: Any, after: Any) -> bool:
    """Whether two tensors of one shape hold the same numbers, whatever their dtypes; NaN is the same as NaN.

    A dtype that cannot be read, or a tensor without values (`meta`), is never the same.
    """
    import torch

    if before.shape != after.shape or before.is_complex() or after.is_complex():
        return before.dtype == after.dtype and torch.equal(before, after)
    try:
        with torch.no_grad():
            one, other = _readable(before), _readable(after)
            if one.is_floating_point() and other.is_floating_point():
                return bool(((one == other) | (one.isnan() & other.isnan())).all())
            equal = one.to(torch.int64) == other.to(torch.int64)
            for real, whole in ((one, other), (other, one)):
                if real.is_floating_point():
                    equal &= (real == whole.to(torch.float64)) & (real.abs() < _BEYOND_INT64)
            if before.dtype != after.dtype:
                for tensor, seen in ((before, one), (after, other)):
                    # What int64 cannot hold of uint64 has the bits of a negative number.
                    equal &= (seen >= 0) | (not _is_uint64(tensor))
            return bool(equal.all())
    except (RuntimeError, NotImplementedError, TypeError):
        return False


def _is_uint64(tensor: Any) -> bool:
    """Whether its numbers may be too large for int64. Torch before 2.3 has no such dtype, not even its name."""
    return str(tensor.dtype) == "torch.uint64"


def _readable(tensor: Any) -> Any:
    """The same numbers in a dtype that torch can compare: float64, or int64 (for uint64 the same bits)."""
    import torch

    if tensor.is_floating_point():
        return tensor.to(torch.float64)
    return tensor.contiguous().view(torch.int64) if _is_uint64(tensor) else tensor.to(torch.int64)


def _keeps(step: Step, before: Any, after: Any) -> bool:
    """Whether what a step gave still means what it was given."""
    import torch

    if step.name == "cast":
        return same_values(before, after)
    if step.name != "argmax":
        return bool(before.numel() == after.numel())
    axis, classes = int(step.argument or 0), before.shape[int(step.argument or 0)]
    rows = torch.nn.functional.one_hot(after, classes).movedim(-1, axis)
    return same_values(before, rows)


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


#: The first number above all of int64.
_BEYOND_INT64: Final = 2.0**63

_STEPS: Final[dict[str, Callable[[Any, int | str | None], Any]]] = {
    "cast": _cast,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "argmax": _argmax,
}
