"""Processes that a guarded program starts: they are guarded too, and what they find comes home.

A forked child inherits the guard; a spawned one is a new interpreter and is given one when its target is
called. Each writes what it found into a folder of the run, from which the parent adds it up: at once, because a
pool ends its workers by killing them, and with all counts when it ends by itself.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import get_start_method, process, util
from pathlib import Path
from typing import Any

from lossguard.guard.guarding import guard
from lossguard.guard.ledger import Entered, Ledger
from lossguard.guard.session import Settings


@dataclass(frozen=True, slots=True)
class Spool:
    """The folder into which the processes of one run write what they found."""

    folder: str

    def write(self, ledger: Ledger) -> None:
        """Write down what this process has found, if anything."""
        entries = ledger.entries()
        if not entries:
            return
        path = Path(self.folder) / f"{os.getpid()}.pickle"
        half = path.with_suffix(f".{threading.get_ident()}")
        try:
            # In one step, so that a process that is killed leaves what it wrote before.
            half.write_bytes(pickle.dumps(entries))
            half.replace(path)
        except OSError:
            # The parent has ended and taken the folder with it.
            return

    def read(self) -> list[Entered]:
        """What all other processes have written."""
        found: list[Entered] = []
        for path in sorted(Path(self.folder).glob("*.pickle")):
            try:
                found.extend(pickle.loads(path.read_bytes()))  # noqa: S301 - a folder that this run made for itself
            except (OSError, EOFError, pickle.UnpicklingError):
                # A child that was killed while it wrote.
                continue
        return found


@dataclass(frozen=True, slots=True)
class GuardedTarget:
    """The target of a spawned process, guarded there as its parent is here."""

    target: Callable[..., Any]
    settings: Settings
    spool: Spool

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the target under a guard, and write down what was found however it ends."""
        watch = guard()
        watch.session.settings = replace(self.settings)
        watch.session.ledger.keep = self.spool.write
        watch.install()
        try:
            return self.target(*args, **kwargs)
        except Exception as error:
            watch.examine(error)
            raise
        finally:
            watch.remove()
            self.spool.write(watch.session.ledger)


def follow(watch: guard, spool: Spool) -> Callable[[], None]:
    """Guard the processes that are started from now on; the answer undoes it."""
    original = process.BaseProcess.start

    def start(self: Any) -> None:
        # Starting it fixes the default method in any case.
        method = getattr(self, "_start_method", None) or get_start_method()
        target = getattr(self, "_target", None)
        if method != "fork" and target is not None and not isinstance(target, GuardedTarget):
            self._target = GuardedTarget(target, watch.session.settings, spool)
        original(self)

    def in_forked_child(inherited: guard) -> None:
        inherited.session.start_anew()
        inherited.session.ledger.keep = spool.write
        util.Finalize(None, spool.write, args=(inherited.session.ledger,), exitpriority=0)

    process.BaseProcess.start = start  # type: ignore[method-assign]
    util.register_after_fork(watch, in_forked_child)

    def undo() -> None:
        process.BaseProcess.start = original  # type: ignore[method-assign]

    return undo
