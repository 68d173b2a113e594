"""How a report reads: counts, samples, places, torch's words, narrow terminals and notebooks."""

from __future__ import annotations

import argparse
import io
import os
import pty
import re
import struct
import sys
import termios
import warnings
from fcntl import ioctl
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch.utils.data import DataLoader, Dataset

import lossguard
from lossguard.cli.main import build_parser, main
from lossguard.findings import Certainty, Finding, Place, Severity
from lossguard.guard.run.writing import _counted
from lossguard.reports.lines import lines_of
from lossguard.reports.report import Report
from lossguard.reports.terminal import write
from lossguard.rules.registry import all_rules


def line(finding: Finding, label: str) -> str:
    """What stands behind a label."""
    return next((shown.text for shown in lines_of(finding) if shown.label == label), "")


def seen_by_guard(work: Any, **settings: Any) -> list[Finding]:
    """What a guard has found when the work is done."""
    with warnings.catch_warnings(), lossguard.guard(**settings) as watch:
        warnings.simplefilter("ignore")
        work()
    return list(watch.report)


def test_all_calls_that_were_examined_have_it() -> None:
    def work() -> None:
        for _ in range(40):
            F.cross_entropy(torch.randn(8, 5).softmax(1), torch.randint(5, (8,)))

    (finding,) = seen_by_guard(work)
    assert (finding.evidence["times"], finding.evidence["examined"]) == (6, 6)
    (finding,) = seen_by_guard(work, deep="always")
    assert (finding.evidence["times"], finding.evidence["examined"]) == (40, 40)


def test_what_torch_refuses_is_examined_at_every_call() -> None:
    def work() -> None:
        for number in range(9):
            try:
                F.cross_entropy(torch.randn(3, 5), torch.tensor([0, 1, 5 if number % 3 == 0 else 2]))
            except IndexError:
                continue

    (finding,) = seen_by_guard(work)
    assert (finding.evidence["times"], finding.evidence["examined"]) == (3, 9)


def test_a_run_says_so() -> None:
    evidence = {"times": 6, "examined": 6, "first_step": 1}
    finding = Finding(
        "LG303", "n", Severity.WARNING, Certainty.CERTAIN, "cross_entropy", "input", "", evidence=evidence
    )
    assert _counted(finding) == "LG303 in 6 of 6 calls examined, first at call 1"


class Pictures(Dataset[Any]):
    """Masks, of which number 7 has a corner that is no class."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        mask = torch.zeros(8, 9, dtype=torch.long)
        if index == 7:
            mask.view(-1)[5:67] = 9
        return torch.randn(3, 8, 9), mask


def test_many_pixels_of_one_picture_are_one_sample() -> None:
    def work() -> None:
        for picture, mask in DataLoader(Pictures(), batch_size=4):
            try:
                F.cross_entropy(picture, mask)
            except IndexError:
                continue

    (finding,) = seen_by_guard(work)
    assert line(finding, "sample") == "62 pixels of sample 7 of Pictures (batch 1, first at position 3, 0, 5) = 9"
    assert finding.to_dict()["samples"] == [
        {
            "index": 7,
            "batch": 1,
            "position": [3, 0, 5],
            "value": 9,
            "dataset": "Pictures",
            "field": "batch[1]",
            "count": 62,
        }
    ]


def test_so_are_those_of_a_flattened_target() -> None:
    def work() -> None:
        for picture, mask in DataLoader(Pictures(), batch_size=4):
            try:
                F.cross_entropy(picture.movedim(1, -1).reshape(-1, 3), mask.flatten())
            except IndexError:
                continue

    (finding,) = seen_by_guard(work)
    assert line(finding, "sample").startswith("10 values of sample 7 of Pictures (batch 1, first at position 221)")


def test_a_call_alone_is_told_by_position() -> None:
    tokens = torch.zeros(3, 6, dtype=torch.long)
    tokens[1, 2:5] = tokens[2, 0] = 5
    (finding,) = lossguard.check(F.cross_entropy, torch.randn(3, 5, 6), tokens)
    assert line(finding, "first") == "3 values of target[1], first target[1, 2] = 5; target[2, 0] = 5"


def test_a_shape_needs_no_sample() -> None:
    def work() -> None:
        for picture, mask in DataLoader(Pictures(), batch_size=4):
            F.cross_entropy(picture, mask[:, :, :4])

    with pytest.raises(RuntimeError, match="size mismatch") as caught:
        seen_by_guard(work)
    report = lossguard.autopsy(caught.value)
    assert [finding.code[:3] for finding in report] == ["LG4"]
    assert not report.findings[0].samples


@pytest.mark.parametrize("flat", [False, True])
def test_ctc_names_the_sequence_that_is_too_long(flat: bool) -> None:
    class Speech(Dataset[Any]):
        """Words of three letters, but for number 5."""

        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> Any:
            long = index == 5
            return torch.randn(4, 6), torch.tensor([1, 1, 2] if long else [1, 2, 3]), torch.tensor(3)

    def work() -> None:
        for voice, letters, lengths in DataLoader(Speech(), batch_size=4):
            scores = voice.transpose(0, 1).log_softmax(2)
            steps = torch.where((letters[:, 0] == letters[:, 1]), 3, 4)
            F.ctc_loss(scores, letters.flatten() if flat else letters, steps, lengths)

    (finding,) = seen_by_guard(work)
    assert (finding.code, finding.certainty) == ("LG408", Certainty.CERTAIN)
    assert [sample.index for sample in finding.samples] == [5]


def test_what_was_raised_is_quoted() -> None:
    def work() -> None:
        with pytest.raises(ValueError, match="batch_size"):
            F.cross_entropy(torch.randn(3, 5), torch.zeros(7, dtype=torch.long))

    (finding,) = seen_by_guard(work)
    assert "input batch_size (3) to match target batch_size (7)" in line(finding, "torch")


def test_what_was_not_raised_here_has_no_numbers_of_an_example() -> None:
    report = lossguard.check(
        F.cross_entropy, torch.randn(3, 4), torch.tensor([0, 1, 2]), weight=torch.ones(3), label_smoothing=10.0
    )
    said = {finding.code: line(finding, "torch") for finding in report}
    assert said["LG407"].endswith("for all ... classes or no classes but got weight tensor of shape: [...]")


def test_numbers_that_are_torchs_own_stay() -> None:
    texts = [saying._without_numbers() for rule in all_rules() for saying in rule.says]
    assert "Expected object of scalar type Long but got scalar type Float for argument #2 'target'" in texts
    assert "CUDA error: device-side assert triggered" in texts
    assert any("t >= 0 && t < n_classes" in text for text in texts)


def test_a_line_of_a_file_and_of_a_cell() -> None:
    assert Place("train.py", 31).where == "train.py:31"
    assert Place("Cell In[4]", 2).where == "Cell In[4], line 2"


def test_a_notebook_names_its_cells_and_opens_its_warnings() -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    capture = pytest.importorskip("IPython.utils.capture")
    shell = interactive.InteractiveShell.instance()
    try:
        shell.run_line_magic("load_ext", "lossguard")
        with warnings.catch_warnings(), capture.capture_output(display=True) as output:
            warnings.simplefilter("ignore")
            shell.run_cell("import torch", store_history=True)
            shell.run_cell(
                "x = torch.randn(8, 5).softmax(1)\nfor _ in range(3):\n"
                "    torch.nn.functional.cross_entropy(x, torch.randint(5, (8,)))",
                store_history=True,
            )
            shell.run_cell("1 + 1", store_history=True)
        (shown,) = [found.data["text/html"] for found in output.outputs if "text/html" in found.data]
        shell.run_line_magic("unload_ext", "lossguard")
    finally:
        interactive.InteractiveShell.clear_instance()
        sys.displayhook = sys.__displayhook__
    assert "<details><summary>warning[LG303] probabilities-as-logits, Cell In[2], line 3" in shown
    assert "as softmax makes them" in shown


def shown_on_terminal(report: Report, columns: int, **environment: str) -> list[str]:
    """The lines that a terminal of so many columns gets."""
    first, second = pty.openpty()
    ioctl(second, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    before = dict(os.environ)
    os.environ.update(environment, COLUMNS=str(columns))
    try:
        with os.fdopen(second, "w") as stream:
            write(report, stream)
        text = b""
        while b"\nend" not in text:
            try:
                read = os.read(first, 65536)
            except OSError:
                break
            text += read
    finally:
        os.close(first)
        os.environ.clear()
        os.environ.update(before)
    return text.decode().splitlines()


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_a_narrow_terminal_wraps_at_words(columns: int) -> None:
    report = lossguard.check(F.cross_entropy, torch.randn(5, 5), torch.tensor([1, 2, 3, 4, 5]))
    lines = shown_on_terminal(report, columns, NO_COLOR="1")
    assert max(map(len, lines)) <= columns
    assert " ".join(" ".join(lines).split()) == " ".join(str(report).split())
    assert {len(shown) - len(shown.lstrip()) for shown in lines if shown.strip()} <= {0, 2, 11}


def test_colour_does_not_count() -> None:
    report = lossguard.check(F.cross_entropy, torch.randn(5, 5), torch.tensor([1, 2, 3, 4, 5]))
    coloured = shown_on_terminal(report, 60, FORCE_COLOR="1")
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", shown).rstrip() for shown in coloured]
    assert plain == [shown.rstrip() for shown in shown_on_terminal(report, 60, NO_COLOR="1")]
    assert any("\x1b[" in shown for shown in coloured)


def test_a_file_has_long_lines() -> None:
    report = lossguard.check(F.cross_entropy, torch.randn(5, 5), torch.tensor([1, 2, 3, 4, 5]))
    stream = io.StringIO()
    write(report, stream)
    assert stream.getvalue() == f"{report}\n"


def test_a_report_is_short_where_python_shows_it() -> None:
    sound = lossguard.check(F.cross_entropy, torch.randn(2, 3), torch.tensor([0, 1]))
    broken = lossguard.check(F.cross_entropy, torch.randn(2, 3), torch.tensor([0.0, 1.0]))
    assert repr(sound) == "<Report sound>"
    assert repr(broken) == "<Report broken: LG101 float-class-target>"
    assert repr(sum([broken], Report(broken.findings * 5))) == (
        "<Report broken: LG101 float-class-target, LG101 float-class-target, LG101 float-class-target, 2 more>"
    )


def test_the_usage_of_run_names_every_flag(capsys: pytest.CaptureFixture[str]) -> None:
    parser = build_parser("run")
    (commands,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    flags = [name for action in commands.choices["run"]._actions for name in action.option_strings]
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    usage = capsys.readouterr().out.partition("\n\n")[0]
    missing = [flag for flag in flags if f"[{flag}" not in usage and flag not in {"-h", "--help"}]
    assert not missing


def test_the_readme_begins_with_how_to_install() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    first = re.findall(r"^## (.*)$", readme, re.MULTILINE)[0]
    assert first == "Install"
    assert "pip install lossguard" in readme.partition("## Why")[0]


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: CUDA error: device-side assert triggered",
        "IndexError: Target 5 is out of bounds.",
        "RuntimeError: expected scalar type Long but found Float",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    ],
)
def test_an_explanation_ends_in_three_lines_at_most(text: str) -> None:
    closing = str(lossguard.explain(text)).rstrip().rpartition("\n\n")[2].splitlines()
    assert 1 <= len(closing) <= 3
    assert sum(len(line.split()) for line in closing) < 50
