"""Programs with a known guilty line: tracing names that line, or says nothing."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import lossguard
from lossguard.findings import Finding
from warm_runs import first_report, forked

PROGRAMS = sorted(path.parent for path in (Path(__file__).parent / "traced_programs").glob("*/main.py"))
#: Nothing need be named here: what is known does not tell the line, or is not enough for the code that looks for it.
SILENT: frozenset[str] = frozenset({"hidden_of_time", "softmax_nll_config"})


@dataclass(frozen=True)
class Outcome:
    """What was found in a program and what should have been."""

    finding: Finding
    guilty: str

    @property
    def named(self) -> str:
        """The line that was named first, or nothing."""
        origin = self.finding.origin
        return f"{Path(origin[0].place.file).name}:{origin[0].place.line}" if origin else ""


def outcome(program: Path, workers: int) -> Outcome:
    """Run a program under the guard, in a fork of this process, and compare."""

    def work() -> tuple[lossguard.Report, str]:
        return first_report(program / "main.py", WORKERS=str(workers)), guilty_line(program)

    report, guilty = forked(work)
    code = (program / "main.py").read_text().removeprefix('"""').partition(":")[0]
    finding = next((finding for finding in report if finding.code == code), None)
    assert finding is not None, f"{code} was not found:\n{report}"
    return Outcome(finding, guilty)


def guilty_line(program: Path) -> str:
    """The line that is marked; in a notebook's cell, the cell's own."""
    cells = (
        [name for name in linecache.cache if name.startswith("<ipython-input")] if "notebook" in program.name else []
    )
    places = [
        f"{Path(name).name}:{number}"
        for name in [*map(str, program.glob("*.py")), *cells]
        for number, line in enumerate(linecache.getlines(name), 1)
        if line.rstrip().endswith("# guilty")
    ]
    assert len(places) == 1, places
    return places[0]


def runs() -> list[Any]:
    """Every program whose libraries are there, without workers, and with them if it may have some."""
    found = []
    for program in PROGRAMS:
        source = (program / "main.py").read_text()
        if any(f"import {name}" in source and find_spec(name) is None for name in ("datasets", "webdataset")):
            continue
        numbers = (0, 2) if "WORKERS" in source else (0,)
        found += [pytest.param(program, workers, id=f"{program.name}-{workers}") for workers in numbers]
    return found


@pytest.mark.parametrize(("program", "workers"), runs())
def test_the_guilty_line_is_named(program: Path, workers: int) -> None:
    found = outcome(program, workers)
    allowed = {found.guilty, ""} if program.name in SILENT else {found.guilty}
    assert found.named in allowed, (found.finding.origin, found.finding.evidence)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("token_shift", "", "-1"),
        ("offset_in_base", "1", "6"),
        ("attention_masked_fill", "", "not finite"),
        ("super_getitem", "int", "float"),
        ("mixup_partial", "int64[8]", "float32[8]"),
    ],
)
def test_what_became_of_a_value_is_told_in_the_words_of_the_fault(name: str, before: str, after: str) -> None:
    first = outcome(Path(__file__).parent / "traced_programs" / name, 0).finding.origin[0]
    assert (first.before, first.after) == (before, after)


def test_a_row_written_out_by_hand_gets_no_fix_that_is_its_size() -> None:
    found = outcome(Path(__file__).parent / "traced_programs" / "one_hot_in_transform", 0).finding
    assert [fix.code for fix in found.fixes] == ["loss = criterion(model(x), y.argmax(1))"]


def test_rows_without_a_label_are_dropped_where_the_table_is_read() -> None:
    found = outcome(Path(__file__).parent / "traced_programs" / "labels_missing_in_a_file", 0).finding
    first, *others = found.fixes
    assert '.dropna(subset=["kind"]).reset_index(drop=True).astype({"kind": "int64"})' in first.code
    assert first.title == 'drops 3 of 90 rows, which have no "kind"'
    assert first.checked == 'the loss takes all other labels of the column "kind"'
    assert any(fix.only_batch == '3 labels of the column "kind" are missing' for fix in others)


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) >= 30
    assert len(SILENT) <= len(PROGRAMS) / 30


def test_the_table_of_the_documentation_lists_every_program() -> None:
    table = (Path(__file__).parents[1] / "docs" / "tracing.md").read_text()
    for program in PROGRAMS:
        assert f"| {program.name} |" in table, f"{program.name} is missing"
