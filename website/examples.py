"""The examples of the rules as code that a reader can run, and what torch and lossguard make of it."""

from __future__ import annotations

import ast
import difflib
import warnings
from typing import Any, Final

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

import lossguard
from lossguard.rules.rule import Example, Rule

_SCOPE: Final = {"torch": torch, "nn": nn, "F": F, "numpy": np}
_IMPORTS: Final = {
    "torch.": "import torch",
    "F.": "import torch.nn.functional as F",
    "nn.": "from torch import nn",
    "numpy.": "import numpy",
}
_WIDE: Final = 88
#: What an example says of torch, as a sentence.
_OUTCOMES: Final = {
    "silent": "torch says nothing and computes a number",
    "nan": "the loss is NaN",
    "infinite": "the loss is infinite",
    "corrupts": "torch reads or writes outside of its memory, without a word",
    "sound": "torch takes it",
}


def before_and_after(rule: Rule) -> tuple[Example, Example | None]:
    """The first example that breaks the rule, and the one that keeps it and looks most like that."""
    broken = next(example for example in rule.examples if example.breaks)
    kept = [example for example in rule.examples if not example.breaks]
    return broken, max(kept, key=lambda each: _likeness(broken, each), default=None)


def _likeness(one: Example, other: Example) -> tuple[bool, float]:
    ratio = difflib.SequenceMatcher(None, one.arguments, other.arguments).ratio()
    return one.loss == other.loss, ratio


def program(example: Example) -> str:
    """The example as a program: its imports, then the call, an argument a line where it is long."""
    imports = [line for mark, line in _IMPORTS.items() if mark in example.call]
    return "\n".join([*imports, "", _laid_out(example.call)])


def _laid_out(call: str) -> str:
    whole = f"loss = {call}"
    parsed = ast.parse(call, mode="eval").body
    if len(whole) <= _WIDE or not isinstance(parsed, ast.Call):
        return whole
    parts = [*parsed.args, *(keyword.value for keyword in parsed.keywords)]
    names = [""] * len(parsed.args) + [f"{keyword.arg}=" if keyword.arg else "**" for keyword in parsed.keywords]
    lines = [f"    {name}{ast.get_source_segment(call, part)}," for name, part in zip(names, parts, strict=True)]
    return "\n".join([f"loss = {ast.get_source_segment(call, parsed.func)}(", *lines, ")"])


def said_by_torch(example: Example) -> str:
    """What the installed torch does with the example: its own words where it has any."""
    if example.torch == "corrupts":
        return _OUTCOMES["corrupts"]
    torch.manual_seed(0)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = eval(example.call, dict(_SCOPE))  # noqa: S307 - examples of our own
        except Exception as error:  # noqa: BLE001 - whatever torch raises is the answer
            return f"{type(error).__name__}: {error}".strip().partition("\n")[0]
    if heard:
        return f"{heard[0].category.__name__}: {heard[0].message}".partition("\n")[0]
    number = f": {float(result.detach()):.4g}" if isinstance(result, torch.Tensor) and result.numel() == 1 else ""
    return f"{_OUTCOMES[example.torch]}{number}"


def report_of(example: Example) -> str:
    """What `lossguard.check` prints of the example."""
    torch.manual_seed(0)

    def check(*args: Any, **kwargs: Any) -> lossguard.Report:
        return lossguard.check(eval(example.loss, dict(_SCOPE)), *args, **kwargs)  # noqa: S307 - as above

    return str(eval(f"check({example.arguments})", {**_SCOPE, "check": check}))  # noqa: S307 - as above
