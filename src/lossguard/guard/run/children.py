"""Processes that a guarded program starts: they are guarded too, and what they find comes home.

A forked child inherits the guard; a spawned one is a new interpreter and is given one when its target is called.
What is started by a command line of its own is not watched, and the report names it. This module imports no torch: a
spawned child that needs none is not given one.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from multiprocessing import get_start_method, process, util
from typing import TYPE_CHECKING, Any, Final

from lossguard.guard.run.importing import when_torch_is_imported
from lossguard.guard.run.spool import Spool
from lossguard.paths import is_library

if TYPE_CHECKING:
    from lossguard.guard.guarding import guard

_PYTHON: Final = re.compile(r"(^|[\\/\s])(python|pypy)[\d.]*(\.exe)?(\s|$)")
_LONGEST_COMMAND: Final = 120


@dataclass(frozen=True, slots=True)
class GuardedTarget:
    """The target of a spawned process, guarded there as its parent is here."""

    target: Callable[..., Any]
    settings: dict[str, Any]
    spool: Spool

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the target under a guard, and write down what was found however it ends."""
        watches: list[guard] = []

        def begin() -> None:
            from lossguard.guard.guarding import guard
            from lossguard.guard.session import Settings

            watch = guard.of(Settings(**self.settings))
            watch.session.ledger.keep = self.spool.write
            watches.append(watch.install())

        when_torch_is_imported(begin)
        try:
            return self.target(*args, **kwargs)
        except Exception as error:
            for watch in watches:
                watch.examine(error)
            raise
        finally:
            for watch in watches:
                watch.remove()
                self.spool.write(watch.session.ledger)


def follow(watch: guard, spool: Spool) -> None:
    """Guard the processes that are started from now on."""
    original = process.BaseProcess.start

    @wraps(original)
    def start(self: Any) -> None:
        # Starting it fixes the default method in any case.
        method = getattr(self, "_start_method", None) or get_start_method()
        target = getattr(self, "_target", None)
        if method == "fork" or target is None or isinstance(target, GuardedTarget):
            original(self)
            return
        settings = watch.session.settings
        names = type(settings).__dataclass_fields__
        self._target = GuardedTarget(target, {name: getattr(settings, name) for name in names}, spool)
        try:
            original(self)
        finally:
            if hasattr(self, "_target"):
                self._target = target

    def in_forked_child() -> None:
        watch.session.start_anew()
        watch.session.ledger.keep = spool.write
        util.Finalize(None, spool.write, args=(watch.session.ledger,), exitpriority=0)

    process.BaseProcess.start = start  # type: ignore[method-assign]
    os.register_at_fork(after_in_child=in_forked_child)


def note_commands(note: Callable[[str], None]) -> None:
    """Call `note` with each command line of Python that the program starts and that nobody watches."""
    original = subprocess.Popen._execute_child  # type: ignore[attr-defined]  # noqa: SLF001 - every way in leads here

    @wraps(original)
    def execute_child(self: Any, args: Any, *others: Any, **named: Any) -> Any:
        if shown := _unwatched(args):
            note(shown)
        return original(self, args, *others, **named)

    subprocess.Popen._execute_child = execute_child  # type: ignore[attr-defined]  # noqa: SLF001 - see above


def _unwatched(args: Any) -> str:
    """The command as it is shown; empty if it runs no Python, is watched itself, or belongs to a library."""
    try:
        parts: Sequence[str] = shlex.split(args) if isinstance(args, str) else [os.fsdecode(part) for part in args]
    except (TypeError, ValueError):
        return ""
    if not parts or not _PYTHON.search(" ".join(parts[:1])) or "lossguard" in parts:
        return ""
    if any(is_library(part) for part in parts[1:] if part.endswith(".py")):
        return ""
    shown = shlex.join([os.path.basename(parts[0]), *parts[1:]])  # noqa: PTH119 - a string in, a string out
    return shown if len(shown) <= _LONGEST_COMMAND else shown[: _LONGEST_COMMAND - 3] + "..."
