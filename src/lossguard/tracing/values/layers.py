"""Running layers of torch again: only those that change nothing, each once, and for their shapes without computing."""

from __future__ import annotations

import functools
import inspect
import sys
import time
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from lossguard.operations.table import named

#: Layers without a state that a call would change.
_LAYERS: Final = named("pure", "layer")
#: Layers that keep a running mean while they are trained.
_COUNTING: Final = named("pure", "counting-layer")
#: All layers of one look together run no longer than this.
_SECONDS: Final = 1.5
#: Where only shapes matter, larger tensors are not computed with. The first look without values makes torch load
#: sympy, which takes longer than to compute with what is smaller.
_SMALL: Final = 2**18


@dataclass(slots=True)
class Workshop:
    """What was computed in one look. `formal` computes shapes and no values."""

    formal: bool = False
    spent: float = 0.0
    done: dict[tuple[int, ...], tuple[Any, Any]] = field(default_factory=dict)


_workshop: ContextVar[Workshop | None] = ContextVar("workshop", default=None)


@contextmanager
def working(workshop: Workshop) -> Iterator[None]:
    """Compute in this workshop."""
    token = _workshop.set(workshop)
    try:
        yield
    finally:
        _workshop.reset(token)


def seeks_shapes() -> bool:
    """Whether only shapes matter in this look, and may be computed without values.

    What torch loads for that makes a folder, which a twin refuses; any optimizer has loaded it before.
    """
    workshop = _workshop.get()
    return workshop is not None and workshop.formal and "torch._dynamo" in sys.modules


class TooLongError(Exception):
    """The time for running layers is used up."""


def is_pure_layer(layer: Any) -> bool:
    """Whether it is a layer of torch's that computes and does nothing else, on the CPU and without hooks."""
    kind = type(layer)
    if not kind.__module__.startswith("torch.nn.modules.") or layer._forward_hooks or layer._forward_pre_hooks:  # noqa: SLF001 - hooks have no public list
        return False
    if kind.__name__ == "Sequential":
        return all(is_pure_layer(inner) for inner in layer)
    if kind.__name__ == "Embedding" and layer.max_norm is not None:  # its weights are changed by a look
        return False
    return kind.__name__ in _LAYERS | _COUNTING and all(not weight.is_cuda for weight in layer.parameters())


def run_layer(layer: Any, *values: Any) -> Any:
    """What a pure layer gives, computed once in a look; its running mean, if it keeps one, stays as it is."""
    if type(layer).__name__ == "Sequential":
        for inner in layer:
            values = (run_layer(inner, *values),)
        return values[0]
    workshop = _workshop.get() or Workshop()
    key = (id(layer), *map(id, values))
    if key not in workshop.done:
        if workshop.spent > _SECONDS:
            raise TooLongError
        formal = workshop.formal and any(_size(value) > _SMALL or _is_formal(value) for value in values)
        if formal:
            _load_formal()
        start = time.thread_time()
        found = _shaped(layer, values) if formal else _run(layer, values)
        workshop.spent += time.thread_time() - start
        workshop.done[key] = (values, found)  # the values too, or their numbers might be given to others
    return workshop.done[key][1]


def has_lost_weights(layer: Any) -> bool:
    """Whether a layer or a weight by itself is not finite, as training makes it after a loss that was not."""
    if isinstance(layer, type):
        return False
    if not hasattr(layer, "forward"):
        # A view that is taken without gradients, as all are here, looks like a weight.
        weight = getattr(layer, "requires_grad", False) and layer.is_leaf and not layer._is_view()  # noqa: SLF001 - no public name
        return bool(weight) and not _is_finite(layer)
    # An infinity in a buffer is a mask; a NaN is a running mean.
    lost = not layer.training and any(bool(kept.isnan().any()) for kept in layer.buffers() if not kept.is_meta)
    return lost or not all(map(_is_finite, layer.parameters()))


def _is_finite(tensor: Any) -> bool:
    return tensor.is_meta or bool(tensor.detach().isfinite().all())


def overwrites(function: Any, values: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Whether a call that is pure by its name would write into what it is given."""
    given: Mapping[str, Any] = named
    if len(values) > getattr(function, "nin", len(values)):
        return True
    try:
        given = _signature(*_unbound(function)).bind(*values, **named).arguments
    except (TypeError, ValueError):
        # Methods of an array have no signature; where they take a place for the result, it is not the first.
        if type(getattr(function, "__self__", None)).__module__ == "numpy" and any(map(_is_array, values[1:])):
            return True
    return any(given.get(name) not in (None, False) for name in ("inplace", "max_norm")) or given.get("out") is not None


def _unbound(function: Any) -> tuple[Any, bool]:
    """A method of a class written in C as its class has it, which is the same for all objects; else the function."""
    owner = getattr(function, "__self__", None)
    if not isinstance(function, types.BuiltinMethodType) or isinstance(owner, types.ModuleType | type | None):
        return function, False
    return getattr(type(owner), function.__name__), True


@functools.lru_cache(maxsize=1024)
def _signature(function: Any, is_method: bool) -> inspect.Signature:
    """What a function takes, of a method without its object. To find out copies the list of all modules."""
    found = inspect.signature(function)
    return found.replace(parameters=[*found.parameters.values()][1:]) if is_method else found


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape")


def _run(layer: Any, values: Sequence[Any]) -> Any:
    if getattr(layer, "inplace", False):
        values = [value.clone() if hasattr(value, "clone") else value for value in values]
    if type(layer).__name__ not in _COUNTING or not layer.training:
        return layer(*values)
    from torch.nn import functional

    return functional.batch_norm(values[0], None, None, layer.weight, layer.bias, training=True, eps=layer.eps)


def _is_formal(value: Any) -> bool:
    return str(getattr(value, "device", "")) == "meta"


@functools.cache
def _load_formal() -> None:
    """Let torch load what it wants for tensors without values, before any time is measured."""
    import torch

    torch.ones(1, device="meta").add(1)


def _shaped(layer: Any, values: Sequence[Any]) -> Any:
    """A tensor of the right shape and dtype, without values."""
    from torch.func import functional_call

    if type(layer).__name__ in _COUNTING:
        return _without_values(values[0])
    state = {name: tensor.detach().to("meta") for name, tensor in layer.state_dict(keep_vars=True).items()}
    return functional_call(layer, state, tuple(_without_values(value) for value in values))


def levelled(values: Sequence[Any]) -> Sequence[Any]:
    """Operands, of which none has values if one has none."""
    if not any(map(_is_formal, values)):
        return values
    return [_without_values(value) for value in values]


def _without_values(value: Any) -> Any:
    return value.detach().to("meta") if hasattr(value, "detach") else value


def _size(value: Any) -> int:
    return value.numel() if hasattr(value, "numel") else 0
