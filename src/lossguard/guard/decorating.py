"""`@lossguard.guard()` on every kind of function: plain, coroutine, generator, asynchronous generator.

A function that runs bit by bit is guarded in each of its bits and not in between, where others run.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, ParamSpec, Protocol, TypeVar

from lossguard.guard.errors import leave

P = ParamSpec("P")
R = TypeVar("R")
Bit = Callable[[], AbstractContextManager[Any]]


class Guard(Protocol):
    """What watches."""

    def __enter__(self) -> Any: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def at_intervals(self) -> AbstractContextManager[Bit]:
        """Watch work that is done bit by bit."""


def decorated(guard: Guard, function: Callable[P, R]) -> Callable[P, R]:
    """`function`, guarded in each of its calls."""
    if isinstance(function, staticmethod | classmethod):
        return type(function)(decorated(guard, function.__func__))
    for is_kind, wrap in _KINDS:
        if is_kind(function):
            made: Callable[P, R] = functools.wraps(function)(wrap(guard, function))
            return made

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with guard:
                return function(*args, **kwargs)
        except Exception as error:
            leave(error)
            raise

    return guarded


def _coroutine(guard: Guard, function: Callable[..., Any]) -> Callable[..., Any]:
    async def guarded(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with guard.at_intervals() as bit:
            return await _InBits(function(*args, **kwargs).__await__(), bit)

    return guarded


def _generator(guard: Guard, function: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        __tracebackhide__ = True
        with guard.at_intervals() as bit:
            return (yield from _in_bits(function(*args, **kwargs), bit))

    return guarded


def _asynchronous_generator(guard: Guard, function: Callable[..., Any]) -> Callable[..., Any]:
    async def guarded(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        __tracebackhide__ = True
        inner = function(*args, **kwargs)
        with guard.at_intervals() as bit:
            ask = inner.__anext__()
            while True:
                try:
                    value = await _InBits(ask.__await__(), bit)
                except StopAsyncIteration:
                    return
                try:
                    sent = yield value
                except GeneratorExit:
                    await _InBits(inner.aclose().__await__(), bit)
                    raise
                except BaseException as error:  # noqa: BLE001 - whatever is thrown in is the generator's to handle
                    ask = inner.athrow(error)
                else:
                    ask = inner.asend(sent)

    return guarded


class _InBits:
    """An awaitable that is guarded whenever it runs."""

    def __init__(self, steps: Any, bit: Bit) -> None:
        self._steps, self._bit = steps, bit

    def __await__(self) -> Generator[Any, Any, Any]:
        return _in_bits(self._steps, self._bit)


def _in_bits(steps: Any, bit: Bit) -> Generator[Any, Any, Any]:
    """What `yield from steps` does, guarded from each step to the next."""
    __tracebackhide__ = True
    step: Callable[..., Any] = steps.__next__
    given: tuple[Any, ...] = ()
    while True:
        try:
            with bit():
                value = step(*given)
        except StopIteration as end:
            return end.value
        try:
            sent = yield value
        except GeneratorExit:
            with bit():
                steps.close()
            raise
        except BaseException as error:  # noqa: BLE001 - whatever is thrown in is the generator's to handle
            step, given = steps.throw, (error,)
        else:
            step, given = (steps.__next__, ()) if sent is None else (steps.send, (sent,))


_KINDS = (
    (inspect.iscoroutinefunction, _coroutine),
    (inspect.isgeneratorfunction, _generator),
    (inspect.isasyncgenfunction, _asynchronous_generator),
)
