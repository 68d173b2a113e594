"""The examples of the rules as calls, and what torch itself makes of a call."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

from lossguard.contracts.call import Call, read_call
from lossguard.contracts.loss import Loss
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

    def run(self) -> Any:
        """The result of torch."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.loss(*self.args, **self.kwargs)


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


def behaviour(call: Written) -> str:
    """What torch does: "raises TypeName", "nan", "infinite" or "finite"."""
    try:
        result = call.run()
    except Exception as error:  # noqa: BLE001 - whatever torch raises is the answer
        return f"raises {type(error).__name__}"
    if not isinstance(result, torch.Tensor) or result.is_meta or not result.is_floating_point():
        return "finite"
    if result.isnan().any():
        return "nan"
    return "infinite" if result.isinf().any() else "finite"


def function_of(loss: Loss) -> Any:
    """Torch's own function for a loss."""
    return getattr(F, loss.name, None) or getattr(torch, loss.name)


__all__ = ["EXAMPLES", "Example", "Rule", "Written", "behaviour", "function_of", "written", "written_as"]
