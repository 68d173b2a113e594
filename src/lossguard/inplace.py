"""Changing what a Python function does without changing which function it is.

A function that is replaced under its name is another object: pickle does not find it any more, tables made with it miss
it, and whoever has patched the same name loses his patch or ours. A function whose code is exchanged is the same object
with the same signature, for everybody, before and after.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, Final

Function = Callable[..., Any]
#: Names that code made here uses for itself. A parameter cannot have one of them.
_MARK: Final = "_lossguard_"


class InPlace:
    """A Python function that runs other code from `put_in` to `take_out`.

    `body` is that code: it may name the function's parameters, write `{arguments}` for handing all of them on, and use
    each of `names` as a variable. The function as it was comes to `names` as `_lossguard_original`.
    """

    __slots__ = ("_code", "_original", "function")

    def __init__(self, function: FunctionType, body: str, make: Callable[[Function], dict[str, Any]]) -> None:
        self.function = function
        self._original = function.__code__
        twin = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        twin.__kwdefaults__ = function.__kwdefaults__
        twin.__qualname__, twin.__module__ = function.__qualname__, function.__module__
        self._code = _made(function, body, {f"{_MARK}{name}": value for name, value in make(twin).items()})

    def put_in(self) -> None:
        """Let the function run the other code, unless somebody else has changed it."""
        if self.function.__code__ is self._original:
            self.function.__code__ = self._code

    def take_out(self) -> None:
        """Let the function be what it was, unless somebody else has changed it."""
        if self.function.__code__ is self._code:
            self.function.__code__ = self._original


def can_be_changed(function: Any) -> bool:
    """Whether `function` is one whose code can be exchanged: in Python, and without variables of an outer one."""
    return type(function) is FunctionType and not function.__code__.co_freevars


def _made(function: FunctionType, body: str, names: dict[str, Any]) -> CodeType:
    """Code with the signature, the name and the place of `function`, in which `names` are constants."""
    signature = inspect.signature(function, follow_wrapped=False)
    bare = [
        parameter.replace(annotation=parameter.empty, default=parameter.empty)
        for parameter in signature.parameters.values()
    ]
    header = "".join(f"    {name} = {name!r}\n" for name in names)
    text = textwrap.indent(textwrap.dedent(body).format(arguments=_handed_on(bare)), "    ")
    space: dict[str, Any] = {}
    exec(f"def made{signature.replace(parameters=bare, return_annotation=signature.empty)}:\n{header}{text}", space)  # noqa: S102 - our own words
    code: CodeType = space["made"].__code__
    own = function.__code__
    constants = tuple(names.get(each, each) if isinstance(each, str) else each for each in code.co_consts)
    return code.replace(
        co_consts=constants,
        co_name=own.co_name,
        co_qualname=own.co_qualname,
        co_filename=own.co_filename,
        co_firstlineno=own.co_firstlineno,
    )


def _handed_on(parameters: list[inspect.Parameter]) -> str:
    """The parameters as arguments of a call."""
    words: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*{0}",
        inspect.Parameter.KEYWORD_ONLY: "{0}={0}",
        inspect.Parameter.VAR_KEYWORD: "**{0}",
    }
    return ", ".join(words.get(each.kind, "{0}").format(each.name) for each in parameters)
