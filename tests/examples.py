"""The examples of the rules as calls, and what torch itself makes of a call."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

from lossguard.contracts.call import Call, read_call
from lossguard.rules.registry import all_rules
from lossguard.rules.rule import Example, Rule

SCOPE = {"torch": torch, "nn": nn, "F": F, "numpy": np, "np": np}

#: All examples of all rules, with a name for each.
EXAMPLES = [
    (f"{rule.code}-{'breaks' if example.breaks else 'passes'}-{number}", rule, example)
    for rule in all_rules()
    for number, example in enumerate(rule.examples)
]


@dataclass(frozen=True)
class Written:
    """A call as it was written: what is called, and with what."""

    loss: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def read(self) -> Call:
        """The call as lossguard understands it."""
        return read_call(self.loss, self.args, self.kwargs)


def written(example: Example) -> Written:
    """The call of an example, with its tensors made anew from one seed."""
    return written_as(example.loss, example.arguments)


def written_as(loss: str, arguments: str) -> Written:
    """The call that this source code is."""
    torch.manual_seed(0)

    def take(*args: Any, **kwargs: Any) -> Written:
        return Written(eval(loss, dict(SCOPE)), args, kwargs)

    result = eval(f"take({arguments})", {**SCOPE, "take": take})
    assert isinstance(result, Written)
    return result


def exists_here(example: Example) -> bool:
    """Whether the installed torch has this function, and takes the keywords that the example gives it."""
    try:
        call = written(example)
    except AttributeError:
        return False
    if not inspect.isfunction(call.loss):
        return True
    return set(call.kwargs) <= set(inspect.signature(call.loss).parameters)


def behaviour(call: Written) -> str:
    """What torch does: "raises TypeName", "warns TypeName", "nan", "infinite" or "finite"."""
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            result = call.loss(*call.args, **call.kwargs)
    except Exception as error:  # noqa: BLE001 - whatever torch raises is the answer
        return f"raises {type(error).__name__}"
    real = isinstance(result, torch.Tensor) and (result.is_floating_point() or result.is_complex())
    if real and not result.is_meta:
        if result.isnan().any():
            return "nan"
        if result.isinf().any():
            return "infinite"
    return f"warns {heard[0].category.__name__}" if heard else "finite"


def with_arguments(call: Written, old: Mapping[str, Any], new: Mapping[str, Any]) -> Written:
    """The call with some arguments replaced, wherever they stand: in the brackets or in the module."""

    def replaced(value: Any) -> Any:
        return next((new[name] for name in new if old[name] is value and value is not None), value)

    for name, value in new.items():
        if isinstance(call.loss, nn.Module) and getattr(call.loss, name, None) is old[name] is not None:
            setattr(call.loss, name, value)
    return Written(call.loss, tuple(map(replaced, call.args)), {k: replaced(v) for k, v in call.kwargs.items()})


__all__ = ["EXAMPLES", "SCOPE", "Example", "Rule", "Written", "behaviour", "with_arguments", "written", "written_as"]
