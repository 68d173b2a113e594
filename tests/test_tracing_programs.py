"""Programs with a known guilty line: tracing names that line, or says nothing."""

from __future__ import annotations

import gc
import importlib
import linecache
import os
import runpy
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from lossguard.contracts.call import read_call
from lossguard.findings import Finding
from lossguard.paths import is_users
from lossguard.tracing import recorder
from lossguard.tracing.loaders import LoaderWatch
from lossguard.tracing.locate import locate

PROGRAMS = sorted(path.parent for path in (Path(__file__).parent / "traced_programs").glob("*/main.py"))
LOSSES = (
    "cross_entropy",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "mse_loss",
    "soft_margin_loss",
    "ctc_loss",
    "poisson_nll_loss",
    "cosine_embedding_loss",
    "margin_ranking_loss",
    "gaussian_nll_loss",
    "smooth_l1_loss",
    "huber_loss",
    "l1_loss",
)
#: Nothing is named here: what is known does not tell the line, or is not enough for the code that looks for it.
SILENT: frozenset[str] = frozenset(
    {"hidden_of_time", "no_transpose", "heads_and_flags", "softmax_nll_config"}
    | {"shifted_targets_lm", "standardise_all"}
)
#: Of these, what was recorded while the program ran tells the line.
RECORDED: frozenset[str] = frozenset({"heads_and_flags", "standardise_all"})


class Located(Exception):
    """A loss was called with something bad; here is what was found."""

    def __init__(self, report: lossguard.Report) -> None:
        super().__init__(report)
        self.report = report


def _watched(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    busy = False

    def loss(*args: Any, **kwargs: Any) -> Any:
        nonlocal busy
        if busy:  # the check itself asks torch what it makes of the call
            return original(*args, **kwargs)
        busy = True
        try:
            report = lossguard.check(name, *args, **kwargs)
        finally:
            busy = False
        if not report:
            return original(*args, **kwargs)
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and not is_users(frame.f_code.co_filename):
            frame = frame.f_back
        raise Located(locate(report, read_call(name, args, kwargs).arguments, frame))

    return loss


def run(program: Path, workers: int) -> lossguard.Report:
    """Run a program until a loss gets something bad; return what was found."""
    before = {name: getattr(F, name) for name in LOSSES}
    modules = set(sys.modules)
    os.environ["WORKERS"] = str(workers)
    places = list(sys.path)
    sys.path.insert(0, str(program))
    watch = LoaderWatch()
    watch.install()
    if not workers:
        recorder.begin()
    try:
        for name, original in before.items():
            setattr(F, name, _watched(name, original))
        runpy.run_path(str(program / "main.py"), run_name="__main__")
    except Located as found:
        return found.report
    finally:
        recorder.end()
        watch.remove()
        sys.path[:] = places
        for name, original in before.items():
            setattr(F, name, original)
        for name in set(sys.modules) - modules:
            if str(program) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
        importlib.invalidate_caches()
        if workers:
            gc.collect()  # workers end with their iterators
    raise AssertionError(f"{program.name} called no loss with anything bad")


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
    """Run a program and compare."""
    report = run(program, workers)
    code = (program / "main.py").read_text().removeprefix('"""').partition(":")[0]
    finding = next((finding for finding in report if finding.code == code), None)
    assert finding is not None, f"{code} was not found:\n{report}"
    return Outcome(finding, guilty_line(program))


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


@pytest.fixture(autouse=True)
def quiet_numpy() -> Iterator[None]:
    """A program may change numpy's error handling."""
    import numpy as np

    with np.errstate():
        yield


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_the_guilty_line_is_named(program: Path, workers: int) -> None:
    if workers and "WORKERS" not in (program / "main.py").read_text():
        pytest.skip("this program has no workers")
    for library in ("datasets", "webdataset"):
        if f"import {library}" in (program / "main.py").read_text():
            pytest.importorskip(library)
    found = outcome(program, workers)
    silent = program.name in (SILENT if workers else SILENT - RECORDED)
    assert found.named == ("" if silent else found.guilty), found.finding.origin


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
    assert [fix.code for fix in found.fixes] == ["target.argmax(1)"]


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) >= 30
    assert len(SILENT) <= len(PROGRAMS) / 30


def test_the_table_of_the_documentation_lists_every_program() -> None:
    table = (Path(__file__).parents[1] / "docs" / "tracing.md").read_text()
    for program in PROGRAMS:
        assert f"| {program.name} |" in table, f"{program.name} is missing"
