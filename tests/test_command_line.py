"""The command line as a user meets it: in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lossguard
from lossguard.rules.registry import all_rules


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """`python -m lossguard WORDS`."""
    return subprocess.run([sys.executable, "-m", "lossguard", *words], capture_output=True, text=True, check=False)


def test_rules_lists_every_rule_on_a_line_of_its_own() -> None:
    result = run("rules")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    for rule in all_rules():
        assert sum(line.startswith(f"{rule.code}  {rule.name} ") and rule.summary in line for line in lines) == 1


def test_rules_as_json() -> None:
    data = json.loads(run("rules", "--format", "json").stdout)
    assert [entry["code"] for entry in data] == [rule.code for rule in all_rules()]
    assert {"code", "name", "summary"} <= set(data[0])


@pytest.mark.parametrize("word", ["LG101", "lg101", "float-class-target"])
def test_rule_shows_its_page(word: str) -> None:
    result = run("rule", word)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("LG101 float-class-target\n")
    for heading in ("Why it matters", "Usual causes", "Fix safety", "What torch says", "Examples"):
        assert f"\n{heading}\n" in result.stdout


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_rule_has_a_page_that_fits_a_terminal(rule: lossguard.rules.rule.Rule) -> None:
    from lossguard.cli.rules import page

    text = page(rule)
    assert text.isascii()
    prose = text.partition("\nWhat torch says\n")[0].partition("\nExamples\n")[0]
    assert max(map(len, prose.splitlines())) <= 120


def test_rule_as_json() -> None:
    data = json.loads(run("rule", "LG101", "--format", "json").stdout)
    assert (data["code"], data["name"]) == ("LG101", "float-class-target")
    assert data["examples"]
    assert data["says"]


def test_a_wrong_rule_names_the_nearest_and_exits_with_2() -> None:
    result = run("rule", "float-clas-target")
    assert (result.returncode, result.stdout) == (2, "")
    assert "float-clas-target" in result.stderr
    assert "LG101 float-class-target" in result.stderr


@pytest.mark.parametrize("words", [("frobnicate",), ("rule",), ("rules", "--format", "xml"), ("--nonsense",)])
def test_bad_usage_exits_with_2(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.returncode == 2
    assert "usage: lossguard" in result.stderr
    assert "Traceback" not in result.stderr


def test_version() -> None:
    assert run("--version").stdout == f"lossguard {lossguard.__version__}\n"


def test_help_teaches_with_examples() -> None:
    for words in (("--help",), ()):
        result = run(*words)
        assert result.returncode == 0
        assert "examples:" in result.stdout
        assert "lossguard rule LG101" in result.stdout
        assert "exit codes: 0" in result.stdout


def test_help_of_each_command() -> None:
    for command in ("rules", "rule"):
        assert run(command, "--help").stdout.startswith(f"usage: lossguard {command}")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("words", ["rules", "rule LG101", "rules --format json"])
def test_a_closed_pipe_is_no_error(words: str) -> None:
    script = f"{sys.executable} -m lossguard {words} | exec true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("0\n", "")


def test_a_terminal_control_sequence_in_a_word_is_not_printed() -> None:
    result = run("rule", "\x1b[31mLG101")
    assert result.returncode == 2
    assert "\x1b" not in result.stderr


def test_the_script_is_installed_beside_the_interpreter() -> None:
    script = shutil.which("lossguard", path=str(Path(sys.executable).parent))
    assert script is not None
    result = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"lossguard {lossguard.__version__}\n"
