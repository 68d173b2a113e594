"""`lossguard run` as a good citizen: arguments, paths, exit codes, signals, processes, ranks, debuggers, reports."""

from __future__ import annotations

import json
import os
import py_compile
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lossguard.guard.run.program import CannotRun, Program

ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
RUN = [sys.executable, "-m", "lossguard", "run"]


def script(folder: Path, source: str, name: str = "train.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(source).lstrip("\n"))
    return path


def run(folder: Path, *arguments: str, command: list[str] | None = None, stdin: str = "") -> Any:
    return subprocess.run(
        [*(command or RUN), *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def report_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def codes(report: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in report["findings"]]


def test_the_three_programs_of_the_question(tmp_path: Path) -> None:
    """A float target, an int64 target, and a converted one, all with a log of negative numbers as input."""
    program = script(
        tmp_path,
        """
        import torch
        import torch.nn.functional as F

        torch.manual_seed(0)
        log_probs = torch.randn(4, 5).log()
        try:
            print(F.nll_loss(log_probs, torch.tensor([1.0, 2.0, 0.0, 4.0])))
        except RuntimeError as error:
            print("caught", error)
        print(F.nll_loss(log_probs, torch.tensor([1, 2, 0, 4])))
        print(F.nll_loss(log_probs, torch.tensor([1.0, 2.0, 0.0, 4.0]).long()))
        """,
    )
    plain = run(tmp_path, str(program), command=[sys.executable])
    done = run(tmp_path, "--report", "found.json", str(program))
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    lines: dict[int, set[str]] = {}
    for finding in report_of(tmp_path / "found.json")["findings"]:
        lines.setdefault(finding["place"]["line"], set()).add(finding["code"])
    assert lines == {7: {"LG101", "LG207"}, 10: {"LG207"}, 11: {"LG207"}}


def test_arguments_paths_and_the_programs_own_exit_code(tmp_path: Path) -> None:
    script(tmp_path, "VALUE = 7\n", "inner/neighbour.py")
    program = script(
        tmp_path,
        """
        import __main__, os, sys
        assert "torch" not in sys.modules
        from neighbour import VALUE
        print(sys.argv, sys.path[0] == os.path.dirname(os.path.abspath(__file__)), __name__, __file__, __main__.VALUE)
        print(__spec__, __builtins__.__name__ if hasattr(__builtins__, "__name__") else "")
        sys.exit("goodbye")
        """,
        "inner/train.py",
    )
    relative = str(program.relative_to(tmp_path))
    arguments = (relative, "--epochs", "3", "--fix", "-m", "--", "x")
    plain = run(tmp_path, *arguments, command=[sys.executable])
    done = run(tmp_path, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert done.returncode == 1


def test_a_module_of_a_package(tmp_path: Path) -> None:
    script(tmp_path, "", "package/__init__.py")
    script(tmp_path, "NAME = 'sister'\n", "package/sister.py")
    script(
        tmp_path,
        """
        import sys
        from .sister import NAME
        print(NAME, sys.argv[1:], __name__, __spec__.name, sys.path[0])
        raise SystemExit(5)
        """,
        "package/train.py",
    )
    plain = run(tmp_path, "-m", "package.train", "--x", command=[sys.executable])
    done = run(tmp_path, "-m", "package.train", "--x")
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_a_traceback_begins_at_the_program(tmp_path: Path) -> None:
    program = script(tmp_path, "def fail():\n    raise KeyError('own')\n\n\nfail()\n")
    plain = run(tmp_path, program.name, command=[sys.executable])
    done = run(tmp_path, program.name)
    assert (done.returncode, done.stderr.replace(f"{tmp_path}/", "")) == (
        plain.returncode,
        plain.stderr.replace(f"{tmp_path}/", ""),
    )


def test_a_program_from_stdin(tmp_path: Path) -> None:
    done = run(tmp_path, "-", stdin="import sys\nprint(sys.argv, __name__)\n")
    assert done.stdout == "['-'] __main__\n"


def _empty_folder(folder: Path) -> list[str]:
    (folder / "project").mkdir()
    (folder / "project" / "train.py").write_text("")
    return ["project"]


def _notebook(folder: Path) -> list[str]:
    (folder / "work.ipynb").write_text('{"cells": [], "nbformat": 4}')
    return ["work.ipynb"]


def _file(name: str, data: bytes) -> Callable[[Path], list[str]]:
    def write(folder: Path) -> list[str]:
        (folder / name).write_bytes(data)
        return [name]

    return write


def _empty_archive(folder: Path) -> list[str]:
    with zipfile.ZipFile(folder / "weights.pt", "w") as archive:
        archive.writestr("weights/data.pkl", b"")
    return ["weights.pt"]


def _package_without_main(folder: Path) -> list[str]:
    script(folder, "", "package/__init__.py")
    return ["-m", "package"]


@pytest.mark.parametrize(
    ("prepare", "expected"),
    [
        (lambda _: ["missing.py"], "can't open 'missing.py': no such file"),
        (_empty_folder, "can't run 'project': this directory has no __main__.py; there is train.py in it"),
        (_empty_archive, "can't run 'weights.pt': this archive has no __main__.py"),
        (_notebook, "can't run 'work.ipynb': it is a notebook"),
        (_file("model.py", b"\x7fELF\0\0\1"), "can't run 'model.py': it is not Python source, but a binary file"),
        (_file("wide.py", "print(1)".encode("utf-16")), "can't run 'wide.py': it is text in UTF-16"),
        (_file("old.pyc", b"\x01\x02\r\n" + bytes(12)), "can't run 'old.pyc': it was not compiled by this version"),
        (lambda _: ["-m", "no_such_module"], "can't run module 'no_such_module': No module named no_such_module"),
        (lambda _: ["-m", "train.py"], "can't run module 'train.py': "),
        (_package_without_main, "can't run module 'package': No module named package.__main__"),
    ],
    ids=[
        "missing",
        "folder",
        "archive",
        "notebook",
        "binary",
        "utf-16",
        "old pyc",
        "module",
        "file as module",
        "package",
    ],
)
def test_what_is_no_program_is_bad_usage(tmp_path: Path, prepare: Callable[[Path], list[str]], expected: str) -> None:
    done = run(tmp_path, "--format", "json", "--report", "found.json", *prepare(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"lossguard: {expected}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (tmp_path / "found.json").exists()


def test_forms_of_ci_are_said_on_stderr_or_written_to_the_file(tmp_path: Path) -> None:
    script(tmp_path, "import torch, torch.nn.functional as F\nF.nll_loss(torch.ones(2, 3), torch.tensor([0.0, 1.0]))\n")
    done = run(tmp_path, "--format", "github", "train.py")
    assert "\n::error file=train.py,line=2,title=LG101 float-class-target::" in done.stderr
    assert done.stderr.rstrip().endswith("\nlossguard: broken")
    done = run(tmp_path, "--format", "sarif", "--report", "found.sarif", "train.py")
    assert "error[LG101]" in done.stderr
    assert "runs" not in done.stderr
    result = json.loads((tmp_path / "found.sarif").read_text())["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


def test_a_file_that_may_not_be_read_is_bad_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root reads everything, so the refusal is made up."""

    def refuse(path: str) -> Any:
        raise PermissionError(13, "Permission denied", path)

    program = script(tmp_path, "")
    monkeypatch.setattr("io.open_code", refuse)
    monkeypatch.setattr(sys, "argv", [])
    with pytest.raises(CannotRun, match=r"can't open '.*train.py': Permission denied"):
        Program(str(program)).run()


@pytest.mark.parametrize("source", ["x = = 1\n", "def f(:\n", "x = 'caf\\xe9\n"], ids=["operator", "def", "string"])
def test_a_fault_of_syntax_is_the_programs_own(tmp_path: Path, source: str) -> None:
    program = script(tmp_path, source)
    plain = run(tmp_path, program.name, command=[sys.executable])
    done = run(tmp_path, program.name)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", plain.stderr)
    assert "SyntaxError" in done.stderr


INNER_MAIN = """
import os, sys, neighbour
print(sys.argv, os.path.basename(sys.path[0]), os.path.isabs(sys.path[0]), __name__, __package__)
print(__spec__.name, os.path.basename(__file__), sys.modules["__main__"].neighbour is neighbour)
sys.exit(3)
"""


@pytest.mark.parametrize("kind", ["folder", "app.pyz", "app"])
def test_a_folder_or_an_archive_with_a_main_runs(tmp_path: Path, kind: str) -> None:
    inner = {"__main__.py": INNER_MAIN, "neighbour.py": ""}
    if kind == "folder":
        for name, source in inner.items():
            script(tmp_path, source, f"folder/{name}")
    else:
        with zipfile.ZipFile(tmp_path / kind, "w") as archive:
            for name, source in inner.items():
                archive.writestr(name, source)
    plain = run(tmp_path, kind, "--x", command=[sys.executable])
    done = run(tmp_path, kind, "--x")
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert done.returncode == 3


def test_compiled_code_runs(tmp_path: Path) -> None:
    program = script(tmp_path, "print(__name__, __file__, type(__loader__).__name__)\n")
    py_compile.compile(str(program), cfile=str(tmp_path / "train.pyc"))
    program.unlink()
    plain = run(tmp_path, "train.pyc", command=[sys.executable])
    done = run(tmp_path, "train.pyc")
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, plain.stderr)


BAD = """
import torch, torch.nn.functional as F
torch.manual_seed(0)
for _ in range(3):
    F.nll_loss(torch.randn(8, 5), torch.randint(5, (8,)))
print("last words")
"""


@pytest.mark.parametrize(
    ("ending", "expected"),
    [("", 0), ("import sys; sys.exit(4)", 4), ("raise KeyError(1)", 1), ("raise KeyboardInterrupt", -signal.SIGINT)],
    ids=["ends", "exits", "crashes", "interrupted"],
)
def test_the_report_is_written_however_it_ends(tmp_path: Path, ending: str, expected: int) -> None:
    program = script(tmp_path, BAD + ending)
    done = run(tmp_path, "--report", "found.json", program.name)
    assert done.returncode == expected
    report = report_of(tmp_path / "found.json")
    assert report["schema"] == 1
    assert report["tool"] == "lossguard"
    assert report["verdict"] == "suspicious"
    assert codes(report) == ["LG301"]
    assert "LG301" in done.stderr
    assert done.stdout == "last words\n"


def test_the_report_is_written_when_the_program_is_told_to_end(tmp_path: Path) -> None:
    program = script(tmp_path, BAD + "import sys, time\nsys.stdout.flush()\ntime.sleep(60)\n")
    command = [*RUN, "--report", "found.json", program.name]
    with subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "last words\n"
        time.sleep(0.2)
        process.terminate()
        assert process.wait(20) == -signal.SIGTERM
    assert codes(report_of(tmp_path / "found.json")) == ["LG301"]


def test_strict_and_json(tmp_path: Path) -> None:
    program = script(tmp_path, BAD)
    done = run(tmp_path, "--strict", "--format", "json", program.name)
    assert done.returncode == 1
    assert done.stdout == "last words\n"
    assert codes(json.loads(done.stderr[done.stderr.index("\n{") :])) == ["LG301"]
    assert "seen in this run" not in done.stderr


def test_fix_goes_on(tmp_path: Path) -> None:
    source = """
        import torch, torch.nn.functional as F
        x, y = torch.zeros(3, 4), torch.Tensor([1, 2, 3])
        for _ in range(5):
            loss = F.cross_entropy(x, y)
        print(round(loss.item(), 4))
        """
    program = script(tmp_path, source)
    done = run(tmp_path, "--fix", "--report", "found.json", program.name)
    assert (done.returncode, done.stdout) == (0, "1.3863\n")
    (finding,) = report_of(tmp_path / "found.json")["findings"]
    assert (finding["code"], finding["severity"], finding["evidence"]["times"]) == ("LG101", "warning", 5)
    assert done.stderr.count("LossWarning") == 1


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_are_guarded_and_report_home(tmp_path: Path, method: str) -> None:
    program = script(
        tmp_path,
        f"""
        import multiprocessing, torch, torch.nn.functional as F

        def work(queue):
            torch.manual_seed(0)
            F.nll_loss(torch.randn(8, 5), torch.randint(5, (8,)))
            queue.put(__name__)

        if __name__ == "__main__":
            context = multiprocessing.get_context("{method}")
            queue = context.Queue()
            process = context.Process(target=work, args=(queue,))
            process.start()
            print(queue.get())
            process.join()
            print(process.exitcode)
        """,
    )
    plain = run(tmp_path, program.name, command=[sys.executable])
    done = run(tmp_path, "--report", "found.json", program.name)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    report = report_of(tmp_path / "found.json")
    assert codes(report) == ["LG301"]
    assert report["findings"][0]["place"]["line"] == 5


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_process_that_is_killed_has_reported_before(tmp_path: Path, method: str) -> None:
    program = script(
        tmp_path,
        f"""
        import multiprocessing, time, torch, torch.nn.functional as F

        def work(event):
            torch.manual_seed(0)
            F.nll_loss(torch.randn(8, 5), torch.randint(5, (8,)))
            event.set()
            time.sleep(60)

        if __name__ == "__main__":
            context = multiprocessing.get_context("{method}")
            event = context.Event()
            process = context.Process(target=work, args=(event,))
            process.start()
            event.wait()
            process.kill()
            process.join()
        """,
    )
    done = run(tmp_path, "--report", "found.json", program.name)
    assert done.returncode == 0
    assert codes(report_of(tmp_path / "found.json")) == ["LG301"]


def test_two_ranks_of_torchrun(tmp_path: Path) -> None:
    program = script(
        tmp_path,
        """
        import os, torch, torch.distributed as dist, torch.nn.functional as F

        dist.init_process_group("gloo")
        torch.manual_seed(0)
        F.nll_loss(torch.randn(8, 5), torch.randint(5, (8,)))
        dist.barrier()
        if os.environ["RANK"] == "1":
            F.cross_entropy(torch.randn(2, 3), torch.tensor([0, 3]))
        """,
    )
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    torchrun += ["--standalone", "--local-addr", "127.0.0.1"]
    done = run(tmp_path, "-m", "lossguard", "run", "--report", "found.json", program.name, command=torchrun)
    assert done.returncode == 1
    report = report_of(tmp_path / "found.json")
    assert report["verdict"] == "broken"
    assert ("LG201", 1) in {(finding["code"], finding["rank"]) for finding in report["findings"]}
    assert 1 in report["ranks"]
    summary = done.stderr[done.stderr.index("Root Cause") :]
    assert "LG201" in summary


def test_the_debugger_runs_under_it(tmp_path: Path) -> None:
    program = script(tmp_path, "import torch\nprint('ran', torch.nn.functional.cross_entropy.__name__)\n")
    done = run(tmp_path, "-m", "pdb", program.name, stdin="continue\nquit\n")
    assert "ran cross_entropy" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_programs_own_hook_and_threads_are_kept(tmp_path: Path) -> None:
    program = script(
        tmp_path,
        """
        import sys, threading, time, atexit

        def hook(kind, error, trace):
            print("hook", kind.__name__, trace.tb_frame.f_code.co_filename.endswith("train.py"))

        sys.excepthook = hook
        atexit.register(print, "at exit")
        threading.Thread(target=lambda: (time.sleep(0.3), print("thread"))).start()
        raise ValueError("own")
        """,
    )
    plain = run(tmp_path, program.name, command=[sys.executable])
    done = run(tmp_path, program.name)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_an_unknown_rule_in_the_project_file_is_bad_usage(tmp_path: Path) -> None:
    script(tmp_path, '[tool.lossguard]\nallow = ["float-class-targets"]\n', "pyproject.toml")
    done = run(tmp_path, script(tmp_path, BAD).name)
    assert done.returncode == 2
    assert "float-class-target" in done.stderr


def test_a_torch_that_is_too_old_is_named_once_and_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text('__version__ = "1.13.1"\n')
    (tmp_path / "old.py").write_text("import torch\nprint(torch.__version__)\n")
    done = run(tmp_path, "old.py")
    assert (done.returncode, done.stdout) == (0, "1.13.1\n")
    assert done.stderr.count("torch 1.13.1 is too old: lossguard supports torch 2.2 and later") == 1
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("name", ["main.py", "./main.py", "../{folder.name}/main.py", "{folder}//main.py"])
def test_the_line_is_named_by_whatever_path_the_script_is_run(tmp_path: Path, name: str) -> None:
    folder = Path(__file__).parent / "traced_programs" / "states_averaged"
    report = tmp_path / "report.json"
    run(folder, "--report", str(report), name.format(folder=folder))
    (finding,) = report_of(report)["findings"]
    assert [Path(step["file"]).name for step in finding["origin"]] == ["machine.py", "windows.py", "main.py"]
