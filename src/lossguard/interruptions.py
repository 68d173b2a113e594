"""Exceptions that are meant for the program although they come up while we are at work.

A handler of a signal runs wherever the program stands, in the middle of our work too. What it raises, a limit of
time for one, is the program's to catch. Wherever we pass over an exception, it is let through.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import functools
import signal
from collections.abc import Iterator
from types import CodeType
from typing import Any, Final

_NUMBERS: Final = range(1, signal.NSIG)


def let_through(error: BaseException) -> None:
    """Raise `error` again if a handler of the program's has raised it. To be called where it was caught."""
    if is_of_handler(error):
        raise error


def is_of_handler(error: BaseException) -> bool:
    """Whether a handler of a signal has raised `error`, or what the handler has called."""
    trace = error.__traceback__
    if trace is None or trace.tb_next is None:
        return False
    # The signal module makes an enumeration of every answer, which takes ten times as long.
    handlers = {code for number in _NUMBERS for code in _codes_of(_signal.getsignal(number))}
    while handlers and trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False


def _codes_of(handler: Any) -> Iterator[CodeType]:
    """The code that runs when a handler is called, if it is written in Python."""
    while isinstance(handler, functools.partial):
        handler = handler.func
    if handler is None or isinstance(handler, int):
        return
    import inspect  # here, because it takes as long to load as the rest of this package

    for function in (
        handler,
        getattr(handler, "__func__", None),
        inspect.getattr_static(type(handler), "__call__", None),
    ):
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            yield code
