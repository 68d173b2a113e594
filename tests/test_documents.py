"""The documents stay true: their code runs, their output is real, their tables name what is there."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lossguard
from examples import behaviour, written
from lossguard.contracts.call import read_call
from lossguard.diagnosis import diagnose
from lossguard.facts.observation import observe_call
from lossguard.rules.registry import discover_folder

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def _blocks(name: str) -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))


def test_the_code_in_the_readme_prints_what_it_says() -> None:
    scope: dict[str, Any] = {}
    printed: list[str] = []
    expected: list[str] = []
    for language, text in _blocks("README.md"):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(text, scope)  # noqa: S102 - our own words
            if output.getvalue():
                printed.append(output.getvalue())
        elif language == "text":
            expected.append(text)
    assert printed == expected
    assert len(printed) >= 3


@pytest.mark.parametrize(("page", "least"), [("README.md", 3), ("docs/lint.md", 1)])
def test_commands_print_what_the_documents_say(page: str, least: int) -> None:
    blocks = [text.splitlines() for language, text in _blocks(page) if language == "console"]
    assert len(blocks) >= least
    for command, *shown in blocks:
        line = command.removeprefix("$ ").replace("lossguard ", f"{sys.executable} -m lossguard ")
        ran = subprocess.run(  # noqa: S602 - our own words
            line, shell=True, cwd=ROOT / "demo" / "programs", capture_output=True, text=True, check=False
        )
        assert "\n".join(shown) in ran.stdout + ran.stderr, f"{command}\n{ran.stdout}{ran.stderr}"


def test_the_rule_in_contributing_works_as_it_stands(tmp_path: Path) -> None:
    (source,) = [text for language, text in _blocks("CONTRIBUTING.md") if language == "python"]
    (tmp_path / "lonely_batch.py").write_text(source, encoding="utf-8")
    (rule,) = discover_folder(tmp_path)
    assert rule.name == "lonely-batch"
    assert len(rule.examples) == 2
    for example in rule.examples:
        call = written(example)
        assert behaviour(call) == "finite"
        read = read_call(call.loss, call.args, call.kwargs)
        found = diagnose(read.contract, observe_call(read), [rule])
        assert bool(found) is example.breaks


def test_the_table_of_stages_names_what_is_there() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = set(re.findall(r"`(\w+(?:\.py|/))`", " ".join(table)))
    package = Path(lossguard.__file__).parent
    there = {f"{path.name}/" for path in package.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    there |= {path.name for path in package.glob("*.py") if not path.name.startswith("__")}
    assert there <= named, "a stage has no line in ARCHITECTURE.md"


def test_every_public_name_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    missing = [name for name in lossguard.__all__ if f"`{name}" not in readme and f"lossguard.{name}" not in readme]
    assert not missing


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_between_documents_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / name).read_text(encoding="utf-8")):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_demo_shows_every_situation() -> None:
    demo = subprocess.run([sys.executable, str(ROOT / "demo" / "demo.py")], capture_output=True, text=True, check=True)
    assert demo.stderr == ""
    assert "\x1b" not in demo.stdout
    for code in ("LG101", "LG203", "LG204", "LG201", "LG301"):
        assert f"[{code}]" in demo.stdout
    assert demo.stdout.count("sound: ") == 2
    assert "the loss is that of the true labels: True" in demo.stdout
    assert "refused" in demo.stdout
