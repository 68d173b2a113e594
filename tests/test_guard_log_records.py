"""A finding is also one record of the logger `lossguard`: one line, with data, and no trouble to anybody."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from lossguard.guard.session import Settings
from lossguard.tracing.evidence.twin import ask_twin

pytestmark = pytest.mark.filterwarnings("ignore::lossguard.LossWarning")


class Kept(logging.Handler):
    """Keeps what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[Any] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def kept() -> Iterator[Kept]:
    handler = Kept()
    logging.getLogger("lossguard").addHandler(handler)
    yield handler
    logging.getLogger("lossguard").removeHandler(handler)


def silent(times: int = 3) -> None:
    for _ in range(times):
        F.nll_loss(torch.ones(4, 3) * 9, torch.tensor([0, 1, 2, 0]))


def test_a_finding_is_one_record_at_the_users_line(kept: Kept) -> None:
    with lossguard.guard():
        silent()
        with pytest.raises(RuntimeError):
            F.nll_loss(torch.ones(2, 3).log_softmax(1), torch.tensor([0.0, 1.0]))
    first, second = kept.records
    assert (first.name, first.levelname, first.code, first.severity) == ("lossguard", "WARNING", "LG301", "warning")
    assert (second.levelname, second.code, second.rule) == ("ERROR", "LG101", "float-class-target")
    assert (first.filename, first.lineno) == (Path(__file__).name, silent.__code__.co_firstlineno + 2)
    assert first.place.endswith(f"{first.filename}:{first.lineno}")
    assert first.getMessage().startswith("warning[LG301] logits-as-log-probabilities: ")
    assert "\n" not in first.getMessage()
    assert first.finding["argument"] == first.argument == "input"


def test_a_crash_that_no_guard_saw_coming_is_logged_once(kept: Kept) -> None:
    table = torch.zeros(3)
    with pytest.raises(IndexError), lossguard.guard():
        table[torch.tensor([5])]
    assert [record.code for record in kept.records] == ["LG210"]


def test_a_quiet_guard_logs_nothing(kept: Kept) -> None:
    with lossguard.guard.of(Settings(quiet=True)) as watch:
        silent()
    assert watch.report.findings
    assert kept.records == []


def test_without_a_handler_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, root.handlers = root.handlers, []
    try:
        with lossguard.guard(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            silent()
    finally:
        root.handlers = handlers
    assert capfd.readouterr() == ("", "")


def test_a_handler_may_fail_or_call_a_loss_itself(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    def emit(record: logging.LogRecord) -> None:
        kept.records.append(record)
        silent(1)
        raise ValueError("a handler of the program's own")

    monkeypatch.setattr(kept, "emit", emit)
    with lossguard.guard() as watch:
        silent(1)
    assert len(kept.records) == len(watch.report) == 1


def test_no_handler_of_the_program_runs_in_a_twin(kept: Kept) -> None:
    def work() -> Iterator[int]:
        logging.getLogger("lossguard").critical("said in a twin")
        yield len(kept.records)

    assert ask_twin(work, 60).value == 0
    logging.getLogger("lossguard").warning("said here")
    assert len(kept.records) == 1
