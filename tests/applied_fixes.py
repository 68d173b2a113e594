"""Programs changed as a fix proposes, and run to their end under the guard.

All runs are forks of one process that has the libraries loaded, because loading them costs more than a program.
"""

from __future__ import annotations

import ast
import io
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: A run that takes longer hangs.
LIMIT = 600


@dataclass(frozen=True)
class Applied:
    """What became of the first placed fix of a program."""

    program: str
    #: "no fault", "no fix", "not applied", "broken" or "sound".
    outcome: str
    code: str = ""
    tag: str = ""
    fix: str = ""
    detail: str = ""


def programs() -> list[Path]:
    """Every traced and every broken program of the suite: a folder with a main.py, or a file."""
    return [*sorted((HERE / "traced_programs").glob("*/main.py")), *sorted((HERE / "programs" / "broken").glob("*.py"))]


def tried(program: Path) -> Applied:
    """Run a program, change it as its first placed fix says, and run it again."""
    name = program.parent.name if program.name == "main.py" else program.stem
    folder = Path(tempfile.mkdtemp(prefix="lossguard-fixes-"))
    try:
        shutil.copytree(program.parent, folder / "program") if program.name == "main.py" else None
        script = folder / "program" / program.name
        script.parent.mkdir(exist_ok=True)
        shutil.copy(program, script)
        report, _ = run(script)
        finding = _meant(report, program)
        if finding is None:
            return Applied(name, "no fault", detail=str(report)[:200])
        fix = next((fix for fix in finding["fixes"] if fix.get("place") and fix.get("code")), None)
        if fix is None:
            return Applied(name, "no fix", finding["code"], detail="; ".join(f["title"] for f in finding["fixes"]))
        shown = f"{Path(fix['place']['file']).name}:{fix['place']['line']} {fix['code']}"
        told = Applied(name, "not applied", finding["code"], tag_of(fix), shown)
        if not apply(fix, script.parent):
            return told
        after, code = run(script)
        left = [f"{f['code']} {f['message'][:80]}" for f in after["findings"]]
        sound = not left and code == 0
        return Applied(
            name, "sound" if sound else "broken", told.code, told.tag, shown, "" if sound else f"exit {code}; {left}"
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tag_of(fix: dict[str, Any]) -> str:
    """The tag, as the text shows it."""
    if not fix.get("checked"):
        return "unchecked"
    return "safe" if fix["safety"] == "lossless" else "decision"


def _meant(report: dict[str, Any], program: Path) -> dict[str, Any] | None:
    """The finding that the program's first line announces, else the first one."""
    code = program.read_text().removeprefix('"""').partition(":")[0]
    found = report["findings"]
    return next((finding for finding in found if finding["code"] == code), found[0] if found else None)


def apply(fix: dict[str, Any], folder: Path) -> bool:
    """Write the code of a fix in the place of its lines; whether the file was found and is Python afterwards."""
    place = fix["place"]
    path = folder / Path(place["file"]).name
    if not path.exists():
        return False
    lines = path.read_text().splitlines(keepends=True)
    first, last = place["line"] - 1, place.get("end_line", place["line"])
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    lines[first:last] = [f"{indent}{fix['code']}\n"]
    text = "".join(lines)
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    path.write_text(text)
    return True


def run(script: Path) -> tuple[dict[str, Any], int]:
    """The report of a program and how it ended."""
    written = script.parent / "report.json"
    written.unlink(missing_ok=True)
    code = _forked(lambda: _under_guard(script, written))
    report = json.loads(written.read_text()) if written.exists() else {"findings": [], "verdict": "unknown"}
    return report, code


def _under_guard(script: Path, written: Path) -> int:
    from lossguard.cli.main import main

    os.chdir(script.parent)
    os.environ["WORKERS"] = "0"
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
    return main(["run", "--report", str(written), str(script)])


def _forked(work: Callable[[], int]) -> int:
    """Do the work in a fork of this process; its exit code."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = work()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:  # noqa: BLE001 - whatever it was, this process must not go on as the test
            code = 70
        finally:
            os._exit(code)
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -9


def main() -> None:
    """Try all programs, or those named, and print what became of each as lines of JSON."""
    import pandas  # noqa: F401, ICN001 - loaded once for all forks
    import torch

    torch.set_num_threads(1)
    wanted = sys.argv[1:]
    chosen = programs()
    if wanted and Path(wanted[0]).is_dir():
        chosen, wanted = sorted(Path(wanted[0]).glob("*.py")), []
    elif wanted and wanted[0].isdigit():
        chosen, wanted = chosen[int(wanted[1]) :: int(wanted[0])], []
    for program in chosen:
        name = program.parent.name if program.name == "main.py" else program.stem
        if not wanted or name in wanted:
            sys.stdout.write(json.dumps(tried(program).__dict__) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
