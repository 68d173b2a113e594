"""The site's code under node: lossguard on the Python of Pyodide answers as here; the search finds what is pasted."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from explain_texts import OURS, UNACCUSED, UNRELATED
from lossguard.rules.registry import all_rules
from website.texts import all_texts, texts_of

NODE = Path(__file__).resolve().parent / "node"
LINTED = Path(__file__).resolve().parent / "linted"
SITE = os.environ.get("LOSSGUARD_SITE", "")

pytestmark = [pytest.mark.site, pytest.mark.skipif(not SITE, reason="`make test-site` builds the site first")]


def _node(script: str, asked: object, folder: Path) -> Any:
    questions = folder / "questions.json"
    questions.write_text(json.dumps(asked), encoding="utf-8")
    command = ["node", str(NODE / script), SITE, str(questions)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout)


def test_another_python_gives_the_same_answers(tmp_path: Path) -> None:
    texts = [*(text for text, _ in OURS), *UNRELATED, *UNACCUSED]
    programs = {
        f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in sorted(LINTED.glob("*/*.py"))
    }
    asked = {"explain": texts, "lint": programs, "box": [*texts[::20], *programs.values(), " ", "import torch\n"]}
    here = json.loads(runpy.run_path(str(NODE / "answering.py"))["answers"](json.dumps(asked)))
    there = _node("answers.mjs", asked, tmp_path)
    assert there.pop("loaded") == []
    here.pop("loaded")
    assert there.pop("python") > here.pop("python") == list(sys.version_info[:2])
    for kind, answers in here.items():
        assert there[kind] == answers, kind
    assert len(here["explain"]) > 100
    assert len(here["rules"]) == len(all_rules())
    assert sum(len(report["findings"]) for report in here["lint"].values()) >= 60


def test_the_search_finds_the_rule_of_every_text(tmp_path: Path) -> None:
    words = list(dict.fromkeys(text.words for _, text in all_texts()))
    dressed = [f'Traceback (most recent call last):\n  File "train.py", line 3\nRuntimeError: {text}' for text in words]
    rules = {
        text: {f"rules/{r.code}/" for r in all_rules() if any(t.words == text for t in texts_of(r))} for text in words
    }
    names = [word for rule in all_rules() for word in (rule.code, rule.code.lower(), rule.name)]
    found = _node("searches.mjs", [*words, *dressed, *names], tmp_path)
    missed = [text for text, got in zip([*words, *words], found, strict=False) if not rules[text] & set(got[:3])]
    assert missed == []
    first = [got[0] for got in found[2 * len(words) :]]
    assert first == [f"rules/{rule.code}/" for rule in all_rules() for _ in range(3)]
