"""Work done in a twin: a forked copy of this process that may change nothing, and that has a deadline.

What the work does to objects, caches, random states, warnings and locks ends with the twin; `readonly`
keeps it from changing anything else. The answer comes back through a pipe as plain data. Code of the user's may run
in the twin, and none of it runs in this process: not even what was registered to run around a fork, nor a handler
for the end of a child.
"""

from __future__ import annotations

import _imp
import contextlib
import ctypes
import fcntl
import functools
import gc
import io
import itertools
import operator
import os
import pickle
import select
import signal
import struct
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from lossguard.tracing.evidence import readonly

T = TypeVar("T")
_LENGTH: Final = struct.Struct("<q")
#: Plain data, and no class of the user's: to make one of those would run his code here.
_PLAIN: Final = frozenset({("builtins", "set"), ("builtins", "frozenset"), ("builtins", "complex"), ("torch", "Size")})
#: Bytes that a twin may take beyond what the process has: what is made again there may be large.
_MORE: Final = 2 << 30
#: Larger tensors are not copied from a device.
_COPIED: Final = 64 << 20
_inside = False


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The last thing that the work has given, and why nothing came after it: empty if it was done."""

    value: T | None
    trouble: str = ""


def ask_twin(work: Callable[[], Iterable[T]], seconds: float) -> Answer[T]:
    """Do `work` in a twin. The last thing that it gives within the time counts: each is the whole answer so far.

    Nothing is raised. The twin has one thread, no standard streams, no gradients and no device, and it is gone when
    this returns.
    """
    if (reason := _unavailable()) is not None:
        return Answer(None, reason)
    try:
        ours, theirs = (_above_streams(end) for end in os.pipe())
    except OSError as error:
        return Answer(None, f"no process could be started: {error.strerror}")
    try:
        twin = _fork()
        if twin == 0:
            _serve(work, theirs)
    finally:
        os.close(theirs)
    if twin < 0:
        os.close(ours)
        return Answer(None, "no process could be started")
    try:
        return _listen(ours, twin, time.monotonic() + seconds)
    finally:
        os.close(ours)
        _end(twin)


def _unavailable() -> str | None:
    """Why there can be no twin; None if there can."""
    if sys.platform != "linux" or sys.implementation.name != "cpython":
        return "only CPython on Linux can look back in a process of its own"
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "a Python without its global lock cannot be forked safely"
    if _inside:
        return "this is a look back already"
    if _has_handler(signal.getsignal(signal.SIGCHLD)):
        return "the program has a handler for SIGCHLD, which a process of ours would set off"
    return None


def _has_handler(handler: Any) -> bool:
    """Whether the end of a child would run code of the user's. The handler of torch asks for its own workers only."""
    if handler in {signal.SIG_DFL, signal.SIG_IGN}:
        return False
    if getattr(handler, "__module__", "") != "torch.utils.data._utils.signal_handling":
        return True
    previous = [cell.cell_contents for cell in getattr(handler, "__closure__", None) or ()]
    return any(callable(inner) and _has_handler(inner) for inner in previous)


def _above_streams(end: int) -> int:
    """The end of a pipe with a number above those of the standard streams, which may be closed."""
    moved = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(end)
    return moved


def _fork() -> int:
    """Fork as `os.fork` does, but without what others have registered to run in the parent, and without its warning.

    The steps follow one another inside of `next`, so no bytecode runs between them: in the child it might wait for
    threads that are not there. Each gives nothing or 0; in the parent the second gives a number, which ends it. The
    lock of imports is held as Python itself holds it. Standard streams and the audit hook come before what
    the user has registered for a child.
    """
    libc = ctypes.PyDLL(None)
    libc.PyOS_AfterFork_Child.restype = libc.dup2.restype = None
    nowhere = os.open(os.devnull, os.O_RDWR)
    steps: tuple[Callable[[], int | None], ...] = (
        _imp.acquire_lock,
        libc.fork,
        *(functools.partial(libc.dup2, nowhere, stream) for stream in range(3)),
        functools.partial(sys.addaudithook, readonly.refuse),
        libc.PyOS_AfterFork_Child,
    )
    twin = next(filter(None, map(operator.call, steps)), 0)
    if twin != 0:
        _imp.release_lock()
        os.close(nowhere)
    return int(twin)


def _serve(work: Callable[[], Iterable[Any]], pipe: int) -> None:
    """Be the twin: do the work, send what it gives, and end without running anything that waits for the end."""
    global _inside  # noqa: PLW0603 - a fact about this process
    try:
        _inside = True
        _prepare()
        readonly.keep_private(pipe)
        for answer in work():
            _send(pipe, pickle.dumps(answer))
        _send(pipe, b"")
    except BaseException as error:  # noqa: BLE001 - nothing may leave a twin, and nobody is there to read it
        del error
    finally:
        os._exit(0)


def _prepare() -> None:
    """Be left in peace: no collector, no tracer, no handlers of signals or logs, no warnings, one thread."""
    gc.disable()
    gc.freeze()
    sys.settrace(None)
    sys.setprofile(None)
    sys.dont_write_bytecode = True
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as the twin lives
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    if (logging := sys.modules.get("logging")) is not None:
        logging.disable(logging.CRITICAL)
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))  # 1 means that not even a program is told of a crash
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = pages * resource.getpagesize() + _MORE
    resource.setrlimit(resource.RLIMIT_AS, (most if soft == resource.RLIM_INFINITY else min(soft, most), hard))
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
    polars = sys.modules.get("polars")
    if polars is not None:
        polars.LazyFrame.collect = polars.LazyFrame._collect_eager = _fail_at_once  # noqa: SLF001 - all that is eager ends there


def _fail_at_once(*_: Any, **__: Any) -> None:
    """What would wait for ever: polars asks threads of its own, and a fork has none of them."""
    raise RuntimeError("a fork has no threads that could do this")


def _send(pipe: int, data: bytes) -> None:
    data = _LENGTH.pack(len(data)) + data
    while data:
        data = data[os.write(pipe, data) :]


def _listen(pipe: int, twin: int, deadline: float) -> Answer[Any]:
    """Read what the twin sends, until it says that it is done, it ends, or its time is up."""
    value: Any = None
    received = bytearray()
    for data in _chunks(pipe, twin, deadline):
        if data is None:
            return Answer(value, "it took too long")
        received += data
        while len(received) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(received)
            if length == 0:
                return Answer(value)
            if len(received) < _LENGTH.size + length:
                break
            try:
                value = _Plain(io.BytesIO(bytes(received[_LENGTH.size : _LENGTH.size + length]))).load()
            except Exception:  # noqa: BLE001 - whatever the twin has made of it
                return Answer(value, "the answer is no plain data")
            del received[: _LENGTH.size + length]
    return Answer(value, "it ended early")


def _chunks(pipe: int, twin: int, deadline: float) -> Iterator[bytes | None]:
    """What comes through the pipe; None at the deadline. The end of the twin is seen even if others hold the pipe."""
    try:
        life = os.pidfd_open(twin)
    except OSError:
        life = -1
    waiting = select.poll()
    for source in filter(lambda number: number >= 0, (pipe, life)):
        waiting.register(source, select.POLLIN)
    try:
        for _ in itertools.count():
            ready = {number for number, _ in waiting.poll(max(0.0, deadline - time.monotonic()) * 1000)}
            if not ready:
                yield None
            data = os.read(pipe, 1 << 16) if pipe in ready else b""
            if not data:
                return
            yield data
    finally:
        if life >= 0:
            os.close(life)


class _Plain(pickle.Unpickler):  # noqa: S301 - it makes no class but ours
    """Makes plain data and records of lossguard's own, nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """A class of ours."""
        if module.startswith("lossguard.") or (module, name) in _PLAIN:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not plain data")


def _end(twin: int) -> None:
    """End the twin if it has not ended, and take it off the system's list. Nobody else's child is waited for."""
    try:
        if os.waitpid(twin, os.WNOHANG) == (0, 0):
            os.kill(twin, signal.SIGKILL)
            os.waitpid(twin, 0)
    except (ChildProcessError, ProcessLookupError):
        return


def host_copies(values: Iterable[Any]) -> list[tuple[Any, Any]]:
    """The plain tensors on a device among `values`, each with its copy on the host."""
    import torch

    found: list[tuple[Any, Any]] = []
    for value in values:
        if type(value) in {torch.Tensor, torch.nn.Parameter} and value.device.type not in {"cpu", "meta"}:
            with contextlib.suppress(Exception):  # after an assertion on a device nothing can be copied from it
                if value.numel() * value.element_size() <= _COPIED:
                    found.append((value, value.detach().cpu()))
    return found
