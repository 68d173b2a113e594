"""What the gradient history of a tensor tells: which step made it, and whether the weights behind it are finite.

This module imports torch; nothing imports it before a tensor has been seen.
"""

from __future__ import annotations

from typing import Any

import torch

from lossguard.facts.facts import Facts, Maker
from lossguard.records import replace


def observe_maker(tensor: torch.Tensor, facts: Facts) -> Facts:
    """`facts` with what made the tensor, as its gradient's history tells: a linear layer's outputs are last."""
    maker = tensor.grad_fn
    if maker is None:
        return facts
    facts = replace(facts, maker=_maker(maker), softmax_axis=_softmax_axis(maker, tensor.ndim))
    if facts.all_finite is False:
        facts = replace(facts, weights_finite=_weights_finite(maker))
    if maker.name() == "AddBackward0":
        parents = [function for function, _ in maker.next_functions if function is not None]
        biases = [parent for parent in parents if _is_bias(parent, tensor.shape[-1:])]
        maker = parents[0] if len(biases) == 1 and parents[0] not in biases else maker
    if maker.name() in {"ViewBackward0", "UnsafeViewBackward0"} and tensor.ndim > 2:
        maker = next((function for function, _ in maker.next_functions if function is not None), maker)
    return replace(facts, outputs_last=maker.name() in {"AddmmBackward0", "MmBackward0", "LinearBackward0"})


#: Steps that move values and leave each as it is, and steps that scale or mask them.
_MOVES = frozenset(
    f"{name}Backward{n}"
    for name in (
        "View",
        "UnsafeView",
        "ReshapeAlias",
        "Squeeze",
        "Unsqueeze",
        "Transpose",
        "T",
        "Permute",
        "Expand",
        "Clone",
        "Slice",
    )
    for n in range(4)
)
_CHANGES = frozenset({"MulBackward0", "DivBackward0", "MaskedFillBackward0", "WhereBackward0", "ToCopyBackward0"})
_MAKERS = {
    **dict.fromkeys(("AddmmBackward0", "LinearBackward0", "MmBackward0", "ConvolutionBackward0"), Maker.LINEAR),
    "SigmoidBackward0": Maker.SIGMOID,
    "LogSoftmaxBackward0": Maker.LOG_SOFTMAX,
}
#: What the logarithm of a density is put together from, and the steps that put it together.
_TERMS = frozenset(
    f"{name}Backward{n}" for name in ("Pow", "Abs", "Log", "Log1P", "Lgamma", "Xlogy", "Cdist") for n in range(2)
)
_ARITHMETIC = frozenset(
    f"{name}Backward{n}" for name in ("Add", "Sub", "Neg", "Mul", "Div", "Sum", "Logsumexp", "Stack") for n in range(2)
)
#: So many steps back are looked at.
_STEPS = 8
_STEPS_OF_A_DENSITY = 40
#: So many steps of a history are gone through for the weights.
_HISTORY = 20_000


def _maker(function: Any) -> Maker | None:
    """The step behind moves of values; behind a scaling or a mask only a log_softmax counts."""
    steps, changed = [function], False
    for _ in range(_STEPS):
        if not steps:
            break
        name = steps[0].name()
        if name in _MAKERS:
            found = _MAKERS[name]
            if not changed or found is Maker.LOG_SOFTMAX:
                return found
        changed |= name in _CHANGES
        further = name in _MOVES or name in _CHANGES
        parents = [parent for parent, _ in steps[0].next_functions if parent is not None] if further else []
        steps = [*steps[1:], *parents]
    return Maker.DENSITY if _is_density(function) else None


def _is_density(function: Any) -> bool:
    """Whether arithmetic put powers, distances or logarithms together, as in the logarithm of a density."""
    steps, summed = [function], False
    for _ in range(_STEPS_OF_A_DENSITY):
        if not steps:
            break
        name = steps[0].name()
        if name in _TERMS and summed:
            return True
        summed |= name in _ARITHMETIC
        further = name in _MOVES or name in _ARITHMETIC
        steps = [*steps[1:], *(parent for parent, _ in steps[0].next_functions if parent is not None and further)]
    return False


def _softmax_axis(function: Any, rank: int) -> int | None:
    """The axis of a log_softmax, counted from the front; None if this step is none."""
    if function.name() != "LogSoftmaxBackward0" or rank == 0:
        return None
    # Torch keeps the axis without its sign.
    axis: int = function._saved_dim  # noqa: SLF001 - its public name
    return (axis - 2**64 if axis >= 2**63 else axis) % rank


def _weights_finite(function: Any) -> bool | None:
    """Whether all weights in a gradient's history are finite; None if it is too long or they cannot be read."""
    waiting, seen = [function], {function}
    for _ in range(_HISTORY):
        if not waiting:
            return True
        step = waiting.pop()
        variable = getattr(step, "variable", None)
        if variable is not None and not variable.is_meta and not bool(variable.detach().isfinite().all()):
            return False
        further = {parent for parent, _ in step.next_functions if parent is not None} - seen
        seen |= further
        waiting.extend(further)
    return None


def _is_bias(function: Any, shape: torch.Size) -> bool:
    """Whether a step of the gradient's history is a parameter with one value for each output."""
    variable = getattr(function, "variable", None)
    return variable is not None and variable.shape == shape
