"""Fixes work as pasted: programs are changed as their first placed fix proposes, and run to their end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

import lossguard
from lossguard.findings import Finding, Scope

HERE = Path(__file__).parent
LIMIT = 600

#: Each program, and what its first placed fix must say; `make fixes` tries all programs of the suite.
PROGRAMS = {
    "labels_in_a_table": (
        """
        import io, pandas as pd, torch, torch.nn.functional as F
        frame = pd.read_csv(io.StringIO("size,species\\n" + "1,0\\n2,1\\n3,2\\n" * 5 + "4,\\n"))
        model = torch.nn.Linear(1, 3)
        for start in range(0, len(frame) - 1, 4):
            part = frame.iloc[start : start + 4]
            x = torch.tensor(part["size"].values).float().unsqueeze(1)
            F.cross_entropy(model(x), torch.tensor(part["species"].values))
        """,
        ['part["species"]', "nan_to_num(nan=-100).long()"],
    ),
    "void_pixels_in_a_module": (
        """
        import torch
        from torch import nn
        class Trainer:
            def __init__(self):
                self.loss = nn.CrossEntropyLoss(label_smoothing=0.1)
            def step(self, scores, masks):
                return self.loss(scores, masks)
        masks = torch.zeros(2, 4, 4, dtype=torch.long)
        masks[0, 0] = 255
        Trainer().step(torch.randn(2, 3, 4, 4), masks)
        """,
        ["self.loss = nn.CrossEntropyLoss(label_smoothing=0.1, ignore_index=255)"],
    ),
    "made_in_the_same_breath": (
        """
        import torch
        from torch import nn
        labels = torch.tensor([0, 1, -1, 2, 1, 0])
        nn.CrossEntropyLoss()(torch.randn(6, 3), labels)
        """,
        ["nn.CrossEntropyLoss(ignore_index=-1)(torch.randn(6, 3), labels)"],
    ),
    "wrong_axis": (
        """
        import torch, torch.nn.functional as F
        from torch import nn
        layer = nn.Linear(4, 3)
        def model(x):
            return F.log_softmax(layer(x), dim=0)
        for _ in range(3):
            F.nll_loss(model(torch.randn(6, 4)), torch.tensor([0, 1, 2, 0, 1, 2])).backward()
        """,
        ["return F.log_softmax(layer(x), dim=1)"],
    ),
    "no_short_name_for_functional": (
        """
        import torch
        model, criterion = torch.nn.Linear(4, 3), torch.nn.NLLLoss(reduction="sum")
        for _ in range(3):
            scores = model(torch.randn(64, 4)) * 5
            criterion(scores, torch.arange(64) % 3).backward()
        """,
        [],
    ),
    "swapped": (
        """
        import torch
        from torch import nn
        loss_function = nn.CrossEntropyLoss()
        scores, labels = nn.Linear(4, 3)(torch.randn(6, 4)), torch.tensor([0, 1, 2, 0, 1, 2])
        loss = loss_function(labels, scores)
        loss.backward()
        """,
        ["loss = loss_function(scores, labels)"],
    ),
    "one_output_for_yes_and_no": (
        """
        import torch
        from torch import nn
        model, criterion = nn.Sequential(nn.Linear(4, 1)), nn.BCELoss()
        target = torch.tensor([0.0, 1.0, 1.0, 0.0]).unsqueeze(1)
        loss = criterion(model(torch.randn(4, 4) * 9), target)
        loss.backward()
        """,
        ["nn.BCEWithLogitsLoss()"],
    ),
    "column_of_whole_numbers": (
        """
        import torch, torch.nn.functional as F
        model = torch.nn.Linear(4, 1)
        for _ in range(2):
            output = model(torch.randn(8, 4))
            loss = F.binary_cross_entropy_with_logits(
                output,
                torch.tensor([0, 1, 0, 1, 1, 0, 1, 0]),
            )
            loss.backward()
        """,
        ["unsqueeze(1)"],
    ),
}


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What became of each program, all in one process."""
    folder = tmp_path_factory.mktemp("programs")
    for name, (text, _) in PROGRAMS.items():
        (folder / f"{name}.py").write_text(dedent(text))
    return {one["program"]: one for one in _tried(str(folder))}


def _tried(*arguments: str) -> list[dict[str, Any]]:
    command = [sys.executable, str(HERE / "applied_fixes.py"), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_fix_is_a_line_that_works(name: str, applied: dict[str, dict[str, Any]]) -> None:
    became = applied[name]
    assert became["outcome"] == "sound", became
    assert all(words in became["fix"] for words in PROGRAMS[name][1]), became["fix"]


def failing(model: nn.Module, batches: Any) -> Finding:
    """The first finding of the first batch that the loss refuses."""
    with lossguard.guard():
        x, y = next(iterator := iter(batches))
        with pytest.raises(RuntimeError) as refusal:
            nn.functional.cross_entropy(model(x), y)
        del iterator
    return lossguard.autopsy(refusal.value).findings[0]


@pytest.mark.parametrize("subset", [False, True])
def test_all_labels_of_a_dataset_at_hand_are_judged(subset: bool) -> None:
    labels = torch.arange(40).float() % 5
    data: Any = TensorDataset(torch.rand(40, 3), labels)
    data = Subset(data, range(10, 40)) if subset else data
    fixes = failing(nn.Linear(3, 5), DataLoader(data, batch_size=8)).fixes
    (cast,) = [fix for fix in fixes if fix.code.endswith("y.long())")]
    assert (cast.tag, cast.scope) == ("safe", Scope.DATASET)
    assert "all 40 labels" in cast.checked


@pytest.mark.parametrize(("value", "word"), [(float("nan"), "missing"), (1.5, "not whole"), (7.0, "out of range")])
def test_a_fix_that_fails_later_is_safe_for_this_batch_only(value: float, word: str) -> None:
    labels = torch.arange(40).float() % 5
    labels[37] = value
    x = torch.rand(40, 3)
    slices = ((x[start : start + 8], labels[start : start + 8]) for start in range(0, 40, 8))
    for batches in (DataLoader(TensorDataset(x, labels), batch_size=8), slices):
        fixes = failing(nn.Linear(3, 5), batches).fixes
        (cast,) = [fix for fix in fixes if fix.code.endswith("y.long())")]
        assert cast.only_batch == f"1 label of the dataset is {word}"
        assert (fixes[0] is not cast) == (word == "missing"), "what does for all labels comes first"
