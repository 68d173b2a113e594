"""Which torch is supported, and what stands for names that the oldest of them do not have yet.

This module imports torch, as little of it as there is in every version since 2.2, and cannot be imported with an older
one: whoever watches a program says so in one sentence and lets it run unwatched.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

import torch

#: The oldest torch whose calls are watched, and the newest that was tried.
OLDEST: Final = (2, 2)
NEWEST: Final = (2, 15)


def version_of(text: str) -> tuple[int, int]:
    """Major and minor of a version; whatever else stands in it is left out."""
    found = re.match(r"(\d+)(?:\.(\d+))?", text)
    return (0, 0) if found is None else (int(found[1]), int(found[2] or 0))


def why_unsupported(version: str) -> str | None:
    """One sentence on why this torch is not supported; None if it is."""
    if version_of(version) >= OLDEST:
        return None
    oldest = ".".join(map(str, OLDEST))
    return f"torch {version} is too old: lossguard supports torch {oldest} and later"


if (_why := why_unsupported(str(torch.__version__))) is not None:
    raise ImportError(_why)


def dtypes(*names: str) -> tuple[torch.dtype, ...]:
    """The dtypes of these names that this torch has."""
    return tuple(getattr(torch, name) for name in names if hasattr(torch, name))


def autocasting() -> bool:
    """Whether autocast is on for any device."""
    return _autocasting()


def autocasts_on(device: str) -> bool:
    """Whether autocast is on for a kind of device, such as "cpu"."""
    try:
        available = getattr(torch.amp, "is_autocast_available", None)
        if available is not None:
            return bool(available(device) and torch.is_autocast_enabled(device))
    except RuntimeError:
        return False
    # Before 2.4 there was a function for each of two kinds.
    old: dict[str, Any] = {"cpu": torch.is_autocast_cpu_enabled, "cuda": torch.is_autocast_enabled}
    return bool(old.get(device, bool)())


def has_accelerator() -> bool:
    """Whether there is a device besides the host. Torch asks them all since 2.6."""
    if hasattr(torch, "accelerator"):
        return bool(torch.accelerator.is_available())
    return torch.cuda.is_available() or torch.backends.mps.is_available()


def event_on(device: torch.device) -> Any:
    """An event of the kind that this device has, to be recorded and asked for."""
    if hasattr(torch, "Event"):
        return torch.Event(device=device)
    module: Any = getattr(torch, device.type)
    return module.Event() if device.type != "mps" else module.event.Event()


def has_saved_tensor_hooks() -> bool:
    """Whether what is saved for backward goes through hooks just now. Before 2.8 torch does not tell: it may."""
    return _hooks is None or _hooks(False) is not None


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on this thread alone.

    A pool of threads that the program itself would not have started must not be started: a forked child has the pool
    without its threads, and waits for them for ever.
    """
    get, put = _openmp()
    if get is None or put is None:
        yield
        return
    threads = get()
    if threads == 1:
        yield
        return
    put(1)
    try:
        yield
    finally:
        put(threads)


@cache
def _openmp() -> tuple[Callable[[], int] | None, Callable[[int], None] | None]:
    """How many threads OpenMP takes for the work of the present thread: to ask, and to say.

    `torch.set_num_threads` would do more: it changes for the whole process how the matrix library chooses its threads,
    and with it the last bits of results.
    """
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None, None
    names = {line.split(maxsplit=5)[-1] for line in maps.splitlines()}
    for name in sorted(path for path in names if Path(path).name.startswith(("libgomp", "libiomp5", "libomp"))):
        with suppress(OSError, AttributeError):
            library = ctypes.CDLL(name)
            return library.omp_get_max_threads, library.omp_set_num_threads
    return None, None


#: Whether the line that asks is being compiled: compilers answer it while they read the code.
is_dynamo_compiling: Callable[[], bool] = getattr(torch.compiler, "is_dynamo_compiling", torch._utils.is_compiling)  # noqa: SLF001 - its name until 2.3
_hooks: Any = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)  # noqa: SLF001 - no public twin
_autocasting: Callable[[], bool] = getattr(
    torch._C,  # noqa: SLF001 - the public twin asks for one device
    "_is_any_autocast_enabled",
    lambda: torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled(),
)
