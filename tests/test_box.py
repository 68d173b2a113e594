"""The box of the site, without a browser: it answers as the command line does, and nothing gets out of its HTML."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from explain_texts import OURS
from lossguard.cli.main import main
from lossguard.integrations.browser import answer

CODE = """\
import torch
import torch.nn.functional as F

F.cross_entropy(torch.randn(4, 5), torch.tensor([1.0, 2.0, 0.0, 4.0]))
"""
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</textarea><svg onload=alert(1)>",
    "IndexError: Target <b onmouseover=alert(1)>10</b> is out of bounds.",
    'File "<img src=x onerror=alert(1)>.py", line 3, in f\nRuntimeError: expected scalar type Long but found Float',
    "javascript:alert(1) LG101 RuntimeError: expected scalar type Long but found <i>Float</i>",
)


def _answer(text: str, name: str = "") -> dict[str, Any]:
    told: dict[str, Any] = json.loads(answer(text.encode(), name))
    return told


def test_texts_are_explained_as_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, code in OURS[::8]:
        (tmp_path / "error.txt").write_text(text, encoding="utf-8")
        main(["explain", "--no-source", str(tmp_path / "error.txt")])
        told = _answer(text)
        assert told["text"] + "\n" == capsys.readouterr().out
        assert told["report"]["findings"][0]["code"] == code
        assert f'<a href="../rules/{code}/">' in told["html"]


def test_code_is_linted_as_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(CODE, encoding="utf-8")
    assert main(["lint", "train.py"]) == 1
    told = _answer(CODE, "train.py")
    assert told["window"] == _answer(CODE)["window"] == "lint"
    assert told["text"] + "\n" == capsys.readouterr().out
    assert [each["code"] for each in told["report"]["findings"]] == ["LG101"]
    assert 'data-copy="' in told["html"]


def test_what_is_no_text_is_said_to_be_none() -> None:
    assert json.loads(answer(b" \n\t", "")) == {"problem": "The box is empty: there is no text to explain."}
    for data in (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", bytes(range(128, 256)) * 9):
        assert json.loads(answer(data, "a.png")) == {"problem": "a.png is no text: it looks like a binary file."}
    assert json.loads(answer("IndexError: Target 10 is out of bounds.".encode("utf-16"), ""))["report"]["findings"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_becomes_no_element_and_no_attribute(text: str) -> None:
    html = _answer(text)["html"]
    tags = set(re.findall(r"<(/?\w+)", html))
    assert tags <= {each for tag in ("div", "span", "b", "table", "tr", "td", "code", "a") for each in (tag, f"/{tag}")}
    assert set(re.findall(r'\s([\w-]+)="', re.sub(r">[^<]*<", "><", html))) <= {"class", "href", "data-copy"}
    assert set(re.findall(r'href="([^"]*)"', html)) <= {f"../rules/LG{n}/" for n in range(100, 600)}
