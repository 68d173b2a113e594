"""Whole programs under `lossguard run`, as subprocesses: broken ones are named, sound ones do not notice."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parent / "programs"
BROKEN = sorted((PROGRAMS / "broken").glob("*.py"))
SOUND = sorted((PROGRAMS / "sound").glob("*.py"))
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


def run(*command: str, cwd: Path | None = None, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run this interpreter with `command`."""
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        timeout=600,
        env=ENVIRONMENT,
        cwd=cwd,
        input=stdin,
        check=False,
    )


def guarded(program: Path, tmp_path: Path, *flags: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """Run `program` under guard; the process and its report."""
    report = tmp_path / "report.json"
    done = run("-m", "lossguard", "run", "--report", str(report), *flags, str(program))
    found: dict[str, Any] = json.loads(report.read_text())
    return done, found


def test_there_are_enough_programs() -> None:
    assert len(BROKEN) >= 25
    assert len(SOUND) >= 10


@pytest.mark.parametrize("program", BROKEN, ids=lambda path: path.stem)
def test_a_broken_program_is_named_at_the_right_line(program: Path, tmp_path: Path) -> None:
    source = program.read_text()
    expected = re.search(r"expect: (LG\d+) exit=(\d)", source)
    assert expected is not None
    done, report = guarded(program, tmp_path)
    shown = done.stdout + done.stderr
    assert "fault of its own" not in shown, shown
    first = report["findings"][0] if report["findings"] else {}
    assert first.get("code") == expected[1], shown
    line = next(number for number, text in enumerate(source.splitlines(), 1) if text.endswith("# here"))
    assert first["place"]["line"] == line
    assert Path(first["place"]["file"]).name == program.name
    assert done.returncode == int(expected[2]), shown
    assert expected[1] in done.stderr
    for words in re.findall(r"^says: (.+)$", source, re.MULTILINE):
        assert words in done.stderr


@pytest.mark.parametrize("program", BROKEN, ids=lambda path: path.stem)
def test_fixing_loses_nothing_or_changes_nothing(program: Path, tmp_path: Path) -> None:
    """What is lossless goes on and is told once, with its fix; anything else ends as it does in plain Python."""
    expected = re.search(r"expect: (LG\d+) exit=\d( fixed)?$", program.read_text(), re.MULTILINE)
    assert expected is not None
    done, report = guarded(program, tmp_path, "--fix")
    first = report["findings"][0]
    assert first["code"] == expected[1]
    assert first["evidence"].get("fixed", False) == bool(expected[2])
    if expected[2]:
        assert done.returncode == 0
        assert first["severity"] == "warning"
        assert first["fixes"][0]["safety"] == "lossless"
        assert done.stderr.count("LossWarning") == 1
        assert "Traceback" not in done.stderr
        return
    harmful = "LG211"
    if first["code"] != harmful:
        plain = run(str(program))
        assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
        for text in re.findall(r"^\w+(?:Error|Exception): .*$", plain.stderr, re.MULTILINE):
            assert text in done.stderr


@pytest.mark.parametrize("program", SOUND, ids=lambda path: path.stem)
def test_a_sound_program_does_not_notice(program: Path, tmp_path: Path) -> None:
    plain = run(str(program))
    done, report = guarded(program, tmp_path)
    assert report["findings"] == [], done.stderr
    assert report["verdict"] == "sound"
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
