"""Programs run under the guard, each in a fork of this process: the libraries are loaded, and nothing stays behind."""

from __future__ import annotations

import gc
import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, TypeVar

import pandas as pd  # noqa: F401 - loaded once for all forks
import torch.utils.data  # noqa: F401 - the same

import lossguard
from lossguard.rules.registry import all_rules
from lossguard.tracing.evidence import recorders

# Loading lossguard itself costs more than most programs; forks have it at once.
for stage in map(import_module, ("lossguard.guard", "lossguard.tracing", "lossguard.fixing", "lossguard.reports")):
    for module in walk_packages(stage.__path__, f"{stage.__name__}."):
        import_module(module.name)
all_rules()

#: A run that takes longer hangs.
LIMIT = 600
T = TypeVar("T")


def forked(work: Callable[[], T]) -> T:
    """What `work` gives when it is done in a fork of this process; what it raises is raised here."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer"
        child = os.fork()
        if child == 0:
            _answer(work, answer)
        until = time.monotonic() + LIMIT
        while not os.waitpid(child, os.WNOHANG)[0]:
            if time.monotonic() > until:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise TimeoutError(f"not done after {LIMIT} seconds")
            time.sleep(0.005)
        if not answer.exists():
            raise ChildProcessError("the fork ended without an answer")
        done, result = pickle.loads(answer.read_bytes())  # noqa: S301 - written by our own fork
    if not done:
        raise result
    answered: T = result
    return answered


def _answer(work: Callable[[], Any], path: Path) -> None:
    """Do the work, write down what came of it, and end this process at once."""
    try:
        # As in a process of its own: the recorder goes on after a rest when the collector runs, which a test may have
        # turned off or slowed down in the process around.
        gc.enable()
        gc.set_threshold(700, 10, 10)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(quiet, stream)
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
        try:
            written = pickle.dumps((True, work()))
        except BaseException as error:  # noqa: BLE001 - the test is told of it
            written = pickle.dumps((False, AssertionError(f"{type(error).__name__}: {error}")))
        path.write_bytes(written)
        from multiprocessing import util

        util._exit_function()  # type: ignore[attr-defined]
    finally:
        os._exit(0)


def _first_report_anew(script: Path, environment: dict[str, str]) -> lossguard.Report:
    """The same in a process of its own: polars waits for its threads, of which a fork of this process has none."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "report"
        subprocess.run(
            [sys.executable, __file__, script, answer], env=os.environ | environment, timeout=LIMIT / 2, check=False
        )
        if not answer.exists():
            raise AssertionError(f"{script.parent.name} ended without a finding")
        report: lossguard.Report = pickle.loads(answer.read_bytes())  # noqa: S301 - written by our own process
    return report


def first_report(script: Path, **environment: str) -> lossguard.Report:
    """Run a program under a strict guard up to the first call in which something is found."""
    import runpy
    import warnings

    sources = [path.read_text(encoding="utf-8") for path in script.parent.glob("*.py")]
    if "polars" in sys.modules and any("import polars" in source for source in sources):
        return _first_report_anew(script, environment)
    for path in script.parent.glob("*.py"):
        sys.modules.pop(path.stem, None)  # a library of that name that an earlier test has loaded
    os.environ.update(environment, LOSSGUARD_DEBUG="1")
    sys.path.insert(0, str(script.parent))
    sys.argv[:] = [str(script)]
    warnings.simplefilter("ignore")
    recorders.end()  # of a guard that an earlier test has used in the process around this fork
    with lossguard.guard(strict=True, deep="always") as watch:
        try:
            runpy.run_path(str(script), run_name="__main__")
        except Exception as error:
            # What was not seen at the call is looked at when it has ended the program, as `lossguard run` does.
            report = watch.report or lossguard.autopsy(error)
            if not report:
                raise AssertionError(f"{script.parent.name} ended without a finding: {error}") from error
        else:
            report = watch.report
    failed = [finding.evidence["failed"] for finding in report if "failed" in finding.evidence]
    assert not failed, f"a look back failed in {script.parent.name}: {failed}"
    return report


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(pickle.dumps(first_report(Path(sys.argv[1]))))
