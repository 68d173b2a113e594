"""The examples of the rules as code that a reader can run, and what torch and lossguard make of it."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import warnings
from typing import Any, Final, cast

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

import lossguard
from lossguard.records import dataclass, replace
from lossguard.reports import html
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


@dataclass(frozen=True, slots=True)
class Program:
    """An example as a reader would write it: a variable for each argument, then the call."""

    variables: dict[str, str]
    function: str
    #: What stands in the brackets: names of variables, and settings by name.
    arguments: tuple[str, ...]

    @property
    def call(self) -> str:
        """The call alone."""
        return f"{self.function}({', '.join(self.arguments)})"

    def __str__(self) -> str:
        lines = [*(f"{name} = {value}" for name, value in self.variables.items()), f"loss = {_laid_out(self)}"]
        imports = [line for mark, line in _IMPORTS.items() if any(mark in each for each in lines)]
        return "\n".join([*imports, "", *lines])


def program(example: Example) -> Program:
    """The example as a program; its arguments have the names that the loss itself gives them."""
    call = cast("ast.Call", ast.parse(example.call, mode="eval").body)
    names = _parameters(eval(example.loss, dict(_SCOPE)))  # noqa: S307 - examples of our own
    texts = [_text(example, argument) for argument in call.args]
    if len(names) < len(texts):
        keywords = (f"{each.arg}={_text(example, each.value)}" for each in call.keywords)
        return Program({}, _text(example, call.func), (*texts, *keywords))
    variables = dict(zip(names, texts, strict=False))
    arguments = list(variables)
    for keyword in call.keywords:
        name, text = str(keyword.arg), _text(example, keyword.value)
        if isinstance(keyword.value, ast.Call):
            variables[name] = text
        arguments.append(f"{name}={name if name in variables else text}")
    return Program(variables, _text(example, call.func), tuple(arguments))


def _text(example: Example, node: ast.expr) -> str:
    return ast.get_source_segment(example.call, node) or ""


def _parameters(loss: Any) -> list[str]:
    """The names of a loss's arguments; none where it has no signature."""
    called = getattr(loss, "forward", loss)
    try:
        names = list(inspect.signature(called).parameters)
    except (TypeError, ValueError):
        return []
    return names[1:] if isinstance(loss, type) else names


def _laid_out(written: Program) -> str:
    if len(f"loss = {written.call}") <= _WIDE:
        return written.call
    return "\n".join([f"{written.function}(", *(f"    {argument}," for argument in written.arguments), ")"])


def fixed(rule: Rule, example: Example) -> tuple[str, Program] | None:
    """What the first fix with code does, and the program as it changes it, if torch and lossguard take it then."""
    before = program(example)
    for finding in _report(example).findings:
        if finding.code != rule.code:
            continue
        for fix in finding.fixes:
            if fix.code and fix.checked and (after := _changed(before, finding.argument, fix.code)):
                return (fix.title, after) if _is_sound(rule, after) else None
    return None


def _changed(before: Program, argument: str, code: str) -> Program | None:
    """The program with the code in place of an argument, as one more setting, or in place of the call."""
    if re.match(r"\w+=", code):
        return replace(before, arguments=(*before.arguments, code))
    parsed = ast.parse(code, mode="eval").body
    used = {node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)} & before.variables.keys()
    if isinstance(parsed, ast.Call) and re.match(r"(F|nn)\.", code) and len(used) > 1:
        function = ast.get_source_segment(code, parsed.func) or ""
        inside = tuple(ast.get_source_segment(code, each) or "" for each in parsed.args)
        return replace(before, function=function, arguments=inside) if not parsed.keywords else None
    if argument not in before.variables:
        return None
    changes = {argument: code, f"{argument}={argument}": f"{argument}={code}"}
    return replace(before, arguments=tuple(changes.get(each, each) for each in before.arguments))


def _is_sound(rule: Rule, after: Program) -> bool:
    """Whether the changed program runs, and nothing is said of it any more."""
    torch.manual_seed(0)
    scope = {**_SCOPE, "lossguard": lossguard}
    inside = ", ".join((after.function, *after.arguments))
    try:
        exec(str(after), scope)  # noqa: S102 - examples of our own
        report = eval(f"lossguard.check({inside})", scope)  # noqa: S307 - as above
    except Exception:  # noqa: BLE001 - then it is not shown
        return False
    return report.verdict != "broken" and rule.code not in {finding.code for finding in report.findings}


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
    """What `lossguard.check` says of the example, as HTML."""
    return html.render(_report(example), rules="../")


def _report(example: Example) -> lossguard.Report:
    torch.manual_seed(0)

    def check(*args: Any, **kwargs: Any) -> lossguard.Report:
        return lossguard.check(eval(example.loss, dict(_SCOPE)), *args, **kwargs)  # noqa: S307 - as above

    report: lossguard.Report = eval(f"check({example.arguments})", {**_SCOPE, "check": check})  # noqa: S307 - as above
    return report
