"""Programs rewritten in ways that change nothing: tracing still names the line that made the value bad."""

from __future__ import annotations

import io
import runpy
import sys
import zlib
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from rewriting import REWRITINGS, applies, rewritten
from rewritten_runs import TRACED, forked_with_optimizers, judged, run_rewritten, usable_programs
from test_tracing_programs import SILENT
from warm_runs import first_report, forked

#: How many programs each rewriting is tried on; `make rewritten` tries all.
EACH = 3
#: Tracing does not follow these rewritten programs yet; each is a pair that would be chosen otherwise.
NOT_FOLLOWED: frozenset[tuple[str, str]] = frozenset()
SCRIPT = '''\
"""A program without functions."""
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(3)
STEPS = 2
rate = 0.5
rows = [[float(number), 1.0] for number in range(12) if number % 3]
data = TensorDataset(torch.tensor(rows), torch.arange(len(rows)) % 2)
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=rate)
for step in range(STEPS):
    for x, y in DataLoader(data, batch_size=4, shuffle=True):
        loss = F.cross_entropy(model(x), y.flatten().long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(step, round(loss.item(), 5))
drawn = torch.rand(2).mul(100).long()
print(drawn.tolist())
'''
FUNCTIONS = """\
from __future__ import annotations
import torch
from torch import nn
CLASSES = 3
SCALES = [1.0, 0.5]
class Net(nn.Module):
    width = 4
    def __init__(self, classes):
        super().__init__()
        self.head = nn.Linear(self.width, classes)
    def forward(self, x):
        hidden = x * SCALES[1]
        return self.head(hidden)
def batches(number):
    batch = [(torch.rand(5, 4), torch.randint(0, CLASSES, (5,))) for _ in range(number)]
    return batch
def total(values, start=0.0):
    for value in values:
        start += value
    return start
torch.manual_seed(CLASSES)
net = Net(CLASSES)
criterion = nn.CrossEntropyLoss()
loader = batches(3)
losses = [criterion(net(x), y).item() for x, y in loader]
for number, (x, y) in enumerate(loader):
    print(number, x.shape, y.tolist())
print(round(total(losses), 5), torch.rand(2).tolist())
"""


@cache
def programs() -> list[Path]:
    """The programs whose line is named as they are."""
    return [program for program in usable_programs() if program.name not in SILENT]


def chosen(name: str) -> list[Path]:
    """Some programs that a rewriting applies to: always the same, and others for each rewriting."""
    mixed = sorted(programs(), key=lambda program: zlib.crc32(f"{name} {program.name}".encode()))
    followed = (program for program in mixed if (name, program.name) not in NOT_FOLLOWED)
    return list(islice((program for program in followed if applies(name, program)), EACH))


def printed(script: Path) -> str:
    """What a program prints, run in a fork of this process."""

    def work() -> str:
        sys.path.insert(0, str(script.parent))
        sys.stdout = output = io.StringIO()
        runpy.run_path(str(script), run_name="__main__")
        return output.getvalue()

    return forked_with_optimizers(work)


def written(folder: Path, text: str) -> Path:
    """A program of one file in a folder of its own."""
    folder.mkdir()
    (folder / "main.py").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "program"),
    [pytest.param(name, program, id=f"{name}-{program.name}") for name in REWRITINGS for program in chosen(name)],
)
def test_the_line_of_a_rewritten_program_is_named(name: str, program: Path) -> None:
    found = run_rewritten(name, program)
    assert found is not None
    assert found.word == "right", found


@pytest.fixture(scope="module")
def printing(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """Two programs, and what they print as they are."""
    folder = tmp_path_factory.mktemp("printing")
    both = [written(folder / "script", SCRIPT), written(folder / "functions", FUNCTIONS)]
    return {program: printed(program / "main.py") for program in both}


@pytest.mark.parametrize("name", REWRITINGS)
def test_a_rewriting_keeps_what_a_program_prints(name: str, printing: dict[Path, str], tmp_path: Path) -> None:
    new = {program: rewritten(name, program, tmp_path) for program in printing}
    applied = {program: one.script for program, one in new.items() if one is not None}
    assert applied
    for program, script in applied.items():
        assert printing[program].count("\n") > 2
        assert printed(script) == printing[program], script.read_text(encoding="utf-8")


def test_a_program_that_has_a_name_that_a_rewriting_adds_is_left_alone(tmp_path: Path) -> None:
    assert not applies("main", written(tmp_path / "taken", f"{SCRIPT}main_entry = 1\n"))


def test_variables_that_the_program_looks_up_by_name_stay_where_they_are(tmp_path: Path) -> None:
    program = written(tmp_path / "reflective", f"{SCRIPT}print(globals()['step'])\n")
    assert not any(applies(name, program) for name in ("main", "runner", "state", "parameters", "globals", "split"))


def test_another_line_than_the_guilty_one_is_told_apart(tmp_path: Path) -> None:
    program = TRACED / "bool_mean"
    new = rewritten("helpers", program, tmp_path)
    assert new is not None
    report = forked(lambda: first_report(new.script, WORKERS="0"))
    assert judged(report, "LG104", new.guilty).word == "right"
    assert judged(report, "LG104", {"main.py:1"}).word == "wrong"
    assert judged(report, "LG999", new.guilty).word == "not found"


def test_a_mark_on_another_line_makes_the_program_fail(tmp_path: Path) -> None:
    text = (TRACED / "bool_mean" / "main.py").read_text(encoding="utf-8")
    moved = text.replace("  # guilty", "").replace("toy = Toy(10)", "toy = Toy(10)  # guilty")
    found = run_rewritten("renamed", written(tmp_path / "moved", moved))
    assert found is not None
    assert found.word == "wrong", found


def test_what_is_not_followed_yet_would_be_tried() -> None:
    names = {program.name for program in programs()}
    assert all(name in REWRITINGS and program in names for name, program in NOT_FOLLOWED)
    assert all(len(chosen(name)) == EACH for name in REWRITINGS)
