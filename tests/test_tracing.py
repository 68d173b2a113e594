"""Tracing never changes, breaks or stops a program, and says when it cannot tell."""

from __future__ import annotations

import ast
import gc
import io
import itertools
import random
import re
import runpy
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info

import lossguard
from lossguard.tracing import locate as locating
from lossguard.tracing.batches.loaders import LoaderWatch
from lossguard.tracing.links.tables import range_note
from lossguard.tracing.locate import locate
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN, evaluate


@pytest.fixture(autouse=True)
def watch() -> Iterator[None]:
    """Every test is watched."""
    with LoaderWatch():
        yield


class Floats(Dataset[Any]):
    """Its labels are divided."""

    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> tuple[torch.Tensor, Any]:
        return torch.ones(3), self.label(index)

    def label(self, index: int) -> Any:
        """The label."""
        return (index % 5) / 1


def traced(data: Any, workers: int = 0, spent: list[float] | None = None, **settings: Any) -> lossguard.Report:
    """The report on the first batch of `data`, located; `spent` takes the seconds that it took."""
    for features, labels in DataLoader(data, batch_size=8, num_workers=workers):
        scores = features @ torch.ones(3, 5)
        report = lossguard.check(F.cross_entropy, scores, labels)
        start = time.monotonic()
        found = locate(report, {"input": scores, "target": labels}, sys._getframe(), **settings)
        if spent is not None:
            spent.append(time.monotonic() - start)
        return found
    raise AssertionError("no batch")


def lines(report: lossguard.Report) -> list[str]:
    """The source of the lines that were named."""
    return [origin.place.code for origin in report.findings[0].origin]


class Drawing(Floats):
    """Draws from every random state there is, its own included."""

    def __init__(self) -> None:
        self.own = np.random.default_rng(3)
        self.torchs = torch.Generator()
        self.pythons = random.Random(3)

    def label(self, index: int) -> Any:
        """The label."""
        drawn = self.own.random() + self.pythons.random() + torch.rand(1, generator=self.torchs).item()
        drawn += torch.rand(1).item() + np.random.rand() + random.random()  # noqa: NPY002 - the old state is the point
        return float(index % 5) + 0 * drawn


def test_no_random_state_is_touched() -> None:
    data = Drawing()
    for features, labels in DataLoader(data, batch_size=8):
        scores = features @ torch.ones(3, 5)
        report = lossguard.check(F.cross_entropy, scores, labels)
        before = (
            torch.get_rng_state().tolist(),
            str(np.random.get_state()),  # noqa: NPY002 - as above
            random.getstate(),
            str(data.own.bit_generator.state),
            data.torchs.get_state().tolist(),
            data.pythons.getstate(),
        )
        found = locate(report, {"input": scores, "target": labels}, sys._getframe())
        after = (
            torch.get_rng_state().tolist(),
            str(np.random.get_state()),  # noqa: NPY002 - as above
            random.getstate(),
            str(data.own.bit_generator.state),
            data.torchs.get_state().tolist(),
            data.pythons.getstate(),
        )
        assert before == after
        assert lines(found) == ["return float(index % 5) + 0 * drawn"]


class Sleeping(Floats):
    """Answers at once in a worker and never in the main process."""

    def label(self, index: int) -> Any:
        """The label."""
        if get_worker_info() is None:
            time.sleep(60)
        return (index % 5) / 1


class Waiting(Sleeping):
    """Waits in many short steps."""

    def label(self, index: int) -> Any:
        """The label."""
        while get_worker_info() is None:
            pass
        return (index % 5) / 1


@pytest.mark.parametrize("data", [Sleeping(), Waiting()], ids=["asleep", "spinning"])
def test_a_dataset_that_hangs_does_not_hang_the_replay(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locating, "TIME_LIMIT", 0.5)
    handler = signal.getsignal(signal.SIGALRM)
    spent: list[float] = []
    report = traced(data, workers=1, spent=spent)
    assert spent[0] < 20  # half a second is allowed, the data set would take for ever; the machine may be busy
    assert lines(report) == []
    assert re.search("limit was met|took too long", report.findings[0].evidence["replay"])
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


class Slow(Floats):
    """Takes its time, as data on a network does."""

    def label(self, index: int) -> Any:
        """The label."""
        time.sleep(0.05)
        return (index % 5) / 1


class Raising(Floats):
    """Works in a worker only."""

    def label(self, index: int) -> Any:
        """The label."""
        if get_worker_info() is None:
            raise OSError("only in a worker")
        return (index % 5) / 1


class Reading(Floats):
    """Reads its labels from an open file."""

    def __init__(self, file: io.TextIOBase) -> None:
        self.file = file

    def label(self, index: int) -> Any:
        """The label."""
        self.file.seek(2 * index)
        return float(self.file.read(1))


class Asking(Floats):
    """Asks a database, which answers in the thread that opened it only."""

    def __init__(self) -> None:
        self.base = sqlite3.connect(":memory:")
        self.base.execute("create table labels (number integer, label real)")
        self.base.executemany("insert into labels values (?, ?)", [(n, n % 5) for n in range(16)])

    def label(self, index: int) -> Any:
        """The label."""
        row = self.base.execute("select label from labels where number = ?", (index,)).fetchone()
        return row[0]


def test_slow_datasets_are_replayed() -> None:
    assert lines(traced(Slow())) == ["return (index % 5) / 1"]


def test_a_dataset_that_raises_is_survived_and_it_is_said() -> None:
    report = traced(Raising(), workers=1)
    assert lines(report) == []
    assert report.findings[0].evidence["replay"] == "replaying the sample failed: it raised OSError"
    assert "replay   replaying the sample failed" in str(report)


def test_files_and_databases_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / "labels.txt"
    path.write_text("\n".join(str(number % 5) for number in range(16)))
    with path.open() as file:
        assert lines(traced(Reading(file))) == ["return float(self.file.read(1))"]
    data = Asking()
    named = lines(traced(data))
    data.base.close()
    assert named[0].startswith("row = self.base.execute")


def test_replay_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    report = traced(Floats(), replay=False)
    assert lines(report) == []
    assert report.findings[0].samples[0].index == 0
    monkeypatch.setenv("LOSSGUARD_REPLAY", "0")
    assert lines(traced(Floats())) == []


def test_a_debugger_keeps_its_trace_function() -> None:
    seen: list[str] = []

    def debugger(*_: Any) -> None:
        seen.append("called")

    sys.settrace(debugger)
    try:
        report = traced(Floats())
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(None)
    assert lines(report) == ["return (index % 5) / 1"]


def test_it_works_in_another_thread() -> None:
    found: list[lossguard.Report] = []
    thread = threading.Thread(target=lambda: found.append(traced(Floats())))
    thread.start()
    thread.join(600)
    assert lines(found[0]) == ["return (index % 5) / 1"]


@pytest.mark.parametrize("target", [None, [1.0, 2.0], np.array([1.0]), torch.tensor(2.0), "text"])
def test_nothing_is_raised_whatever_the_arguments(target: Any) -> None:
    report = lossguard.check(F.cross_entropy, torch.randn(2, 5), target)
    located = locate(report, {"input": torch.randn(2, 5), "target": target}, None)
    assert [finding.code for finding in located] == [finding.code for finding in report]
    assert locate(report, {}, sys._getframe()).verdict == report.verdict


class Once(Floats):
    """The first label that anybody asks for is out of range, and none after it."""

    def __init__(self) -> None:
        self.asked = 0

    def label(self, index: int) -> Any:
        """The label."""
        self.asked += 1
        return 9 if self.asked == 1 else index % 5


def test_a_label_that_does_not_come_again_is_said_to_be_random() -> None:
    finding = traced(Once()).findings[0]
    assert not finding.origin
    assert "not the same" in finding.evidence["replay"]


def _running() -> Iterator[str]:
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        yield f"{frame.f_globals['__name__']}.{frame.f_code.co_name}"
        frame = frame.f_back


def test_nothing_is_collected_in_the_middle_of_a_look() -> None:
    # What is collected may be a loader that was left in mid-pass: it waits for its workers, and uses up the time.
    seen: list[set[str]] = []

    def note(*_: Any) -> None:
        seen.append(set(_running()))

    before = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(1)
    try:
        report = traced(Floats())
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(note)
    assert gc.isenabled()
    assert lines(report) == ["return (index % 5) / 1"]
    assert any("lossguard.judging.check" in names for names in seen), "the collector is at work everywhere else"
    assert not [names for names in seen if "lossguard.tracing.locate.located" in names]


def test_the_origin_is_in_every_form_of_the_report() -> None:
    report = traced(Floats())
    finding = report.findings[0]
    data = finding.to_dict()
    assert data["origin"][0]["code"] == "return (index % 5) / 1"
    assert data["origin"][0]["before"] == "int"
    assert data["samples"] == [
        {"index": 0, "batch": 0, "position": 0, "value": 0.0, "dataset": "Floats", "field": "batch[1]"}
    ]
    better = [fix for fix in data["fixes"] if "place" in fix]
    assert better[0]["code"] == "return index % 5 // 1"
    assert better[0]["safety"] == "lossless"
    assert better[0]["checked"]
    for text in (str(report), report._repr_html_()):
        assert "origin" in text
        assert "index 0 of Floats (batch 0, position 0) = 0" in text
        assert "index % 5 // 1" in text


def test_two_branches_that_cannot_be_told_apart_are_not_guessed() -> None:
    target = torch.arange(4)
    if len(sys.argv) > 99:
        target = target.float()
    elif len(sys.argv) < 98:
        target = target.double()
    scores = torch.randn(4, 5)
    report = lossguard.check(F.cross_entropy, scores, target)
    found = _at_loss(report, scores, target)
    assert lines(found) == []


def _at_loss(report: lossguard.Report, scores: torch.Tensor, target: torch.Tensor) -> lossguard.Report:
    return locate(report, {"input": scores, "target": target}, sys._getframe())


def test_features_are_not_blamed_for_scores_that_are_taken_for_labels() -> None:
    features, teacher = torch.rand(8, 4), torch.nn.Linear(4, 5)
    labels = teacher(features).max(dim=1).values
    scores = torch.zeros(8, 5)
    report = lossguard.check(F.cross_entropy, scores, labels)
    found = locate(report, {"input": scores, "target": labels}, sys._getframe())
    assert [finding.code for finding in found.findings] == ["LG204"]
    assert "rand" not in "".join(lines(found))


def test_a_flat_target_is_not_blamed_for_the_column_of_the_model() -> None:
    scores, labels = torch.randn(16, 1), torch.randn(16)
    report = lossguard.check(F.mse_loss, scores, labels)
    found = locate(report, {"input": scores, "target": labels}, sys._getframe())
    assert [finding.code for finding in found.findings] == ["LG406"]
    assert not found.findings[0].origin


def test_a_target_that_is_no_field_has_no_index() -> None:
    for _, labels in DataLoader(TensorDataset(torch.ones(8, 3), torch.arange(8)), batch_size=4):
        target = labels.flip(0) + 7
        scores = torch.randn(4, 5)
        report = lossguard.check(F.cross_entropy, scores, target)
        found = locate(report, {"input": scores, "target": target}, sys._getframe())
        assert all(sample.index is None for finding in found for sample in finding.samples)


def test_the_guard_names_the_line(tmp_path: Path) -> None:
    """Through `lossguard run`, with workers, as a user sees it."""
    program = Path(__file__).parent / "traced_programs" / "helper_of_getitem" / "main.py"
    done = subprocess.run(
        [sys.executable, "-m", "lossguard", "run", "--report", str(tmp_path / "out.json"), str(program)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**__import__("os").environ, "WORKERS": "2"},
    )
    assert done.returncode == 1
    assert "origin" in done.stderr
    assert "helpers.py:6" in done.stderr
    import json

    finding = json.loads((tmp_path / "out.json").read_text())["findings"][0]
    assert finding["origin"][0]["line"] == 6
    assert finding["samples"][0]["dataset"] == "Numbers"


@pytest.mark.parametrize(
    "written",
    [
        "numbers.clip(0, 1, out=numbers)",
        "np.add(numbers, 1, out=numbers)",
        "frame.fillna(0, inplace=True)",
        "torch.nn.ReLU(inplace=True)",
        "layer(tensor)",
        "layers(tensor)",
        "F.relu(tensor, inplace=True)",
        "F.relu(tensor, True)",
        "F.elu(tensor, 1.0, True)",
        "F.dropout(tensor, 0.9, False, True)",
        "np.add(numbers, 1, numbers)",
        "numbers.sum(None, None, total)",
    ],
)
def test_working_out_an_expression_changes_nothing_of_the_program(written: str) -> None:
    pd = pytest.importorskip("pandas")
    numbers, tensor = np.array([-2.0, 3.0]), torch.tensor([-2.0, 3.0])
    frame, total = pd.DataFrame({"label": [1.0, None]}), np.array(7.0)
    layer = torch.nn.ReLU(inplace=True)
    layers = torch.nn.Sequential(torch.nn.Identity(), layer)
    names = {**locals(), "np": np, "torch": torch, "F": F}

    class Known:
        def value(self, name: str) -> Any:
            return names.get(name, ABSENT)

        def called(self, _node: Any, _function: Any) -> Any:
            return UNKNOWN

    evaluate(ast.parse(written, mode="eval").body, Known())
    assert numbers.tolist() == [-2.0, 3.0]
    assert tensor.tolist() == [-2.0, 3.0]
    assert total == 7.0
    assert frame["label"].isna().sum() == 1


def test_import_of_tracing_is_lazy() -> None:
    code = "import lossguard, sys; assert 'torch' not in sys.modules and 'lossguard.tracing' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_label_out_of_range_tells_the_range_of_its_column() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"label": [1.0, 2.0, 3.0, float("nan")]})
    assert range_note(table["label"], "label") == 'column "label": values from 1 to 3'
    assert range_note(pandas.Series(["cat", "dog"]), "label") == ""
    assert range_note(pandas.Series([], dtype=float), "label") == ""


class Chained(IterableDataset[Any]):
    """Yields through functions of a library, so that the source does not tell what it yields."""

    def __iter__(self) -> Iterator[Any]:
        return itertools.starmap(lambda *sample: sample, itertools.chain.from_iterable(map(self.some, [0.0, 4.0])))

    def some(self, scale: float) -> Iterator[Any]:
        """A few samples, of which the first is infinite."""
        yield torch.ones(3), torch.tensor(1.0) / scale


def test_the_line_that_makes_an_iterable_dataset_is_not_blamed_for_what_it_yields() -> None:
    data = Chained()
    for features, labels in DataLoader(data, batch_size=2):
        scores = features.sum(1)
        report = lossguard.check(F.mse_loss, scores, labels)
        found = locate(report, {"input": scores, "target": labels}, sys._getframe())
        assert [finding.code for finding in found.findings] == ["LG203"]
        assert lines(found) == []


@pytest.mark.parametrize(
    "made", ["torch.zeros(16).long()", "torch.full((16,), 0.3).long()", "(torch.arange(16) / 16).long()"]
)
def test_labels_that_are_all_0_are_told_only_where_a_scaled_mask_was_cut_off(made: str, tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text(
        f"import torch\nlabels = {made}\ntorch.nn.functional.cross_entropy(torch.randn(16, 3), labels)\n"
    )
    with lossguard.guard(deep="always") as watch:
        runpy.run_path(str(program))
    assert watch.report.findings == ()


def test_what_is_only_suspected_is_never_told_without_its_line(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text(
        "import torch\n"
        "for _ in range(5):\n"
        "    torch.nn.functional.cross_entropy(torch.randn(16, 3), torch.arange(16) % 2)\n"
    )
    with lossguard.guard(deep="always", strict=True) as watch:
        runpy.run_path(str(program))
    assert watch.report.findings == ()
