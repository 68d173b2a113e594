"""A program under `lossguard run` begins, ends and looks like the same program under `python`."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from lossguard.allowing import allowed_by_project
from lossguard.guard.ledger import Ledger
from lossguard.guard.run.importing import when_torch_is_imported
from lossguard.guard.run.spool import Spool
from lossguard.guard.run.writing import ReportFile
from lossguard.reports.report import Report

LIMIT = 600
WARNED = """
import os, sys, torch, torch.nn.functional as F
F.nll_loss(torch.randn(4, 3) * 5 + 9, torch.tensor([0, 1, 2, 0]))
"""


def both(folder: Path, source: str, *options: str, prepare: str = "", **settings: Any) -> list[Any]:
    """What became of the program under `python` and under `lossguard run`."""
    program = folder / "train.py"
    program.write_text(textwrap.dedent(source))
    done = []
    for command in ([], ["-m", "lossguard", "run", "--report", "found.json", *options]):
        line = [sys.executable, *command, "train.py"]
        if prepare:
            line = ["sh", "-c", f"exec {' '.join(line)} {prepare}"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **settings.get("env", {})}
        kept = {"stdin": subprocess.DEVNULL} if "input" not in settings else {"input": settings["input"]}
        done.append(
            subprocess.run(
                line, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False, env=environment, **kept
            )
        )
    return done


def found(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "found.json").read_text())
    return report


ENDINGS = {
    "open pools of threads and processes": """
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
        threads, processes = ThreadPoolExecutor(2), ProcessPoolExecutor(1)
        print(threads.submit(len, "ab").result(), processes.submit(len, "abc").result())
        """,
    "asyncio's own executor, which is never shut down": """
        import asyncio, time
        loop = asyncio.new_event_loop()
        print(loop.run_until_complete(loop.run_in_executor(None, len, "abcd")))
        """,
    "a daemon thread that never ends, and one that ends late": """
        import threading, time
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        threading.Thread(target=lambda: (time.sleep(0.3), print("late")), daemon=False).start()
        print("early")
        """,
    "os._exit in the middle": "sys.stdout.flush(); os._exit(7)",
    "a signal": "import signal; os.kill(os.getpid(), signal.SIGTERM)",
    "exit callbacks of its own": "import atexit; atexit.register(print, 'bye'); sys.exit('words')",
    "a child that was forked and ends by itself": """
        pid = os.fork()
        if pid == 0:
            sys.exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """,
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_ends_as_it_would_without_us_and_its_report_is_written(tmp_path: Path, ending: str) -> None:
    plain, done = both(tmp_path, WARNED + textwrap.dedent(ENDINGS[ending]))
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert [finding["code"] for finding in found(tmp_path)["findings"]] == ["LG301"]


def test_a_program_that_is_killed_leaves_a_report_and_nothing_else(tmp_path: Path) -> None:
    """Without a finding, too; it says that the program has not ended by itself."""
    (tmp_path / "tmp").mkdir()
    source = "import os, torch\nos.kill(os.getpid(), 9)\n"
    _, done = both(tmp_path, source, env={"TMPDIR": str(tmp_path / "tmp")})
    assert done.returncode == -signal.SIGKILL
    assert (found(tmp_path)["verdict"], found(tmp_path)["ended"]) == ("sound", False)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"tmp", "train.py", "found.json"}


def test_a_report_that_cannot_be_written_is_said_and_changes_nothing(tmp_path: Path) -> None:
    plain, done = both(tmp_path, WARNED + "print('done')", "--report", "/dev/full")
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert done.stderr.count("cannot be written") == 1


@pytest.mark.parametrize(
    ("source", "prepare"),
    [
        ("sys.stdout.close()", ""),
        ("sys.stderr.close()", ""),
        ("sys.stdout = sys.stderr = None", ""),
        ("print('x')", "1>&-"),
        ("print('x')", "2>&-"),
        ("print('x')", "<&-"),
    ],
)
def test_closed_streams_are_no_trouble(tmp_path: Path, source: str, prepare: str) -> None:
    plain, done = both(tmp_path, WARNED + source, prepare=prepare)
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert found(tmp_path)["verdict"] == "suspicious"


@pytest.mark.parametrize(
    "hook",
    [
        "sys.excepthook = None",
        "del sys.excepthook",
        "sys.excepthook = lambda kind, error, trace: 1 / 0",
        "sys.excepthook = lambda kind, error, trace: sys.exit(7)",
        "sys.excepthook = lambda kind, error, trace: print(trace.tb_lineno, sys.exc_info(), error.__context__)",
        "def hook(*_):\n    raise KeyboardInterrupt\nsys.excepthook = hook",
    ],
)
def test_a_hook_of_the_programs_own_is_called_as_python_calls_it(tmp_path: Path, hook: str) -> None:
    plain, done = both(tmp_path, f"import sys\n{hook}\n[][0]\n")
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_the_hooks_are_those_that_python_has(tmp_path: Path) -> None:
    source = """
        import sys, threading
        print(threading.excepthook is threading.__excepthook__, sys.excepthook is sys.__excepthook__)
        threading.Thread(target=lambda: [][0], name="other").start()
        """
    plain, done = both(tmp_path, source)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


@pytest.mark.parametrize(
    ("place", "command"), [(".", "train.py -- --report x"), (".", "./train.py"), ("gone", "../train.py"), ("gone", "-")]
)
def test_names_and_arguments_are_those_of_python(tmp_path: Path, place: str, command: str) -> None:
    """A first `--` is the program's own, a name is not made shorter, and the working folder may be gone."""
    (tmp_path / "train.py").write_text("import sys\nprint(sys.argv, globals().get('__file__'), sys.path[0])\n")
    done = []
    for runner in ([], ["-m", "lossguard", "run"]):
        (tmp_path / place).mkdir(exist_ok=True)
        remove = "rmdir ../gone; " if place == "gone" else ""
        line = f"{remove}{shlex.join([sys.executable, *runner])} {command} < {tmp_path}/train.py"
        done.append(
            subprocess.run(
                ["sh", "-c", line], cwd=tmp_path / place, capture_output=True, text=True, timeout=LIMIT, check=False
            )
        )
    assert (done[1].returncode, done[1].stdout) == (done[0].returncode, done[0].stdout)
    assert done[0].stdout


def test_main_looks_as_it_always_does(tmp_path: Path) -> None:
    source = """
        print(sorted(globals()))
        print(__annotations__, __doc__, __package__, __spec__, type(__builtins__), __loader__.__class__, __cached__)
        x: int = 3
        print(__annotations__)
        import atexit, sys
        atexit.register(lambda: print(sorted(globals()), sys.gettrace()))
        """
    plain, done = both(tmp_path, source)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    plain_stdin, done_stdin = (
        subprocess.run([sys.executable, *command, "-"], input=textwrap.dedent(source.replace(", __cached__", "")),
                       capture_output=True, text=True, timeout=LIMIT, check=False, cwd=tmp_path)
        for command in ([], ["-m", "lossguard", "run"])
    )  # fmt: skip
    assert (done_stdin.returncode, done_stdin.stdout) == (0, plain_stdin.stdout)


def test_what_is_no_file_is_not_read_for_its_source(tmp_path: Path) -> None:
    """Source that came through a pipe: the pipe holds the program's own data by now."""
    source = """
        import os, sys, torch, torch.nn.functional as F
        os.mkfifo("pipe")
        for name in ("/dev/stdin", "pipe"):
            text = "F.nll_loss(torch.randn(4, 3) * 5 + 9, torch.tensor([0, 1, 2, 0]))"
            exec(compile(text, name, "exec"))
        os.unlink("pipe")
        print(sys.stdin.read())
        """
    plain, done = both(tmp_path, source, input="hello")
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)


IMPORTS = {
    "looked for first": "import importlib.util as u; u.find_spec('torch'); u.find_spec('torch')\nimport torch",
    "looked for through a submodule": "import importlib.util as u; u.find_spec('torch.nn')\nimport torch",
    "another finder in front": """
import sys, importlib.abc
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None): return None
sys.meta_path.insert(0, Finder())
import torch.nn.functional as F""",
    "a failed import before": """
import sys
sys.modules["torch"] = None
try: import torch
except ImportError: del sys.modules["torch"]
from torch.nn import functional as F""",
    "reloaded spec": "import importlib; torch = importlib.import_module('torch')",
}


def test_torch_is_watched_however_it_is_imported(tmp_path: Path) -> None:
    """One process for each way; all of them see the note, and our finder is gone afterwards."""
    after = """
import sys, torch, torch.nn.functional as F
assert not any(type(finder).__module__.startswith("lossguard") for finder in sys.meta_path)
assert "exec_module" not in vars(torch.__loader__)
try: F.cross_entropy(torch.randn(2, 3), torch.tensor([1.0, 2.0]))
except RuntimeError as error: print("noted", bool(getattr(error, "__notes__", [])))
"""
    for way, source in IMPORTS.items():
        _, done = both(tmp_path, source + after)
        assert done.stdout == "noted True\n", (way, done.stderr)


def test_a_program_without_torch_leaves_a_sound_report(tmp_path: Path) -> None:
    plain, done = both(tmp_path, "print('no torch here')")
    assert (done.stdout, done.stderr) == (plain.stdout, plain.stderr)
    assert found(tmp_path)["verdict"] == "sound"


def test_a_spawned_child_gets_no_torch_that_it_does_not_import(tmp_path: Path) -> None:
    """And one that imports it late is watched from then on."""
    (tmp_path / "light.py").write_text(
        textwrap.dedent(
            """
            import sys
            def work(queue): queue.put("torch" in sys.modules)
            def late(queue):
                import torch, torch.nn.functional as F
                F.nll_loss(torch.randn(4, 3) * 5 + 9, torch.tensor([0, 1, 2, 0]))
                queue.put("late")
            """
        )
    )
    source = """
        import multiprocessing as mp, light
        if __name__ == "__main__":
            import torch
            context = mp.get_context("spawn")
            queue = context.Queue()
            for target in (light.work, light.late):
                child = context.Process(target=target, args=(queue,))
                child.start()
                print(queue.get(), child._target is target if hasattr(child, "_target") else True)
                child.join()
        """
    plain, done = both(tmp_path, source)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert [finding["code"] for finding in found(tmp_path)["findings"]] == ["LG301"]


def test_processes_that_are_not_watched_are_named(tmp_path: Path) -> None:
    source = WARNED + textwrap.dedent(
        """
        import subprocess
        subprocess.run([sys.executable, "-c", "print('own process')"], check=True)
        subprocess.run(["true"], check=True)
        subprocess.run([sys.executable, "-m", "lossguard", "rules"], check=True, stdout=subprocess.DEVNULL)
        """
    )
    _, done = both(tmp_path, source)
    (shown,) = found(tmp_path)["unwatched"]
    assert shown.startswith("python")
    assert "own process" in shown
    assert "not watched" in done.stderr


def test_strict_sees_what_a_thread_finds_after_the_program(tmp_path: Path) -> None:
    source = """
        import threading, time, torch, torch.nn.functional as F
        def late():
            time.sleep(0.3)
            F.nll_loss(torch.randn(4, 3) * 5 + 9, torch.tensor([0, 1, 2, 0]))
            print("late")
        threading.Thread(target=late).start()
        """
    plain, done = both(tmp_path, source, "--strict")
    assert (plain.returncode, done.returncode, done.stdout) == (0, 1, plain.stdout)


@pytest.mark.parametrize("rank", ["worker-a", "", "-1", "1e3", "\u0663", "0"])
def test_a_rank_that_is_no_number_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rank: str) -> None:
    monkeypatch.setenv("RANK", rank)
    path = tmp_path / "found.json"
    for ended in (False, True):
        assert ReportFile(path).write(Report(), unwatched=(), ended=ended) is None
    assert json.loads(path.read_text()).get("ranks", []) == ([int(rank)] if rank in {"0", "\u0663"} else [])


def test_a_spool_takes_the_last_record_of_each_process_and_survives_half_a_record() -> None:
    spool, ledger = Spool.make(), Ledger()
    spool.write(ledger)
    assert spool.read() == []
    with open(spool.path, "ab") as file:  # noqa: PTH123 - a link to a file without a name
        file.write(b"\x00lossguard\x00record\x00\x80\x04half")
    assert spool.read() == []
    assert Spool("/dev/null", (0, 0)).read() == []


@pytest.mark.parametrize(
    "text",
    ["tool = 3", "[tool]\nlossguard = 3", "a = " + "[" * 5000 + "]" * 5000, "a = " + "9" * 10000, "\x00", "[tool", ""],
)
def test_an_odd_project_file_allows_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert allowed_by_project(tmp_path) == frozenset()


def test_a_project_file_above_the_project_is_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lossguard]\nallow = ["LG303"]\n')
    inner = tmp_path / "project" / "src"
    inner.mkdir(parents=True)
    assert allowed_by_project(inner) == {"LG303"}
    (tmp_path / "project" / ".git").mkdir()
    assert allowed_by_project(inner) == frozenset()


def test_a_working_folder_that_is_gone_allows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert allowed_by_project() == frozenset()


def test_the_finder_acts_at_once_where_torch_is_there() -> None:
    import torch

    acted: list[bool] = []
    when_torch_is_imported(lambda: acted.append(True))
    assert acted == [True]
    assert torch.__loader__ is not None
