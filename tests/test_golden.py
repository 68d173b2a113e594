"""Whole reports, compared letter for letter. A case is a file `golden/NAME.call` with one call in it.

`pytest tests/test_golden.py --update-golden` writes the expected reports anew; read the difference before you
commit it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import lossguard
from examples import written_as

FOLDER = Path(__file__).parent / "golden"
CASES = sorted(path.stem for path in FOLDER.glob("*.call"))


def _report(case: str) -> lossguard.Report:
    source = (FOLDER / f"{case}.call").read_text(encoding="utf-8").strip()
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    loss = ast.unparse(call.func)
    arguments = [ast.unparse(argument) for argument in call.args]
    arguments += [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in call.keywords]
    given = written_as(loss, ", ".join(arguments))
    return lossguard.check(given.loss, *given.args, **given.kwargs)


@pytest.mark.parametrize("form", ["txt", "json", "html"])
@pytest.mark.parametrize("case", CASES)
def test_report_is_as_expected(case: str, form: str, update_golden: bool) -> None:
    report = _report(case)
    shown = {"txt": str(report), "json": report.to_json(), "html": report._repr_html_()}[form] + "\n"
    shown = shown.replace(f'"version": "{lossguard.__version__}"', '"version": "VERSION"')
    golden = FOLDER / f"{case}.{form}"
    if update_golden:
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


def test_no_golden_file_is_left_without_its_case() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(CASES)
    assert len(CASES) >= 12
