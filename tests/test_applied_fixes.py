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
    "features_in_the_same_array": (
        """
        import numpy as np, torch
        from torch import nn
        rows = np.array([[1.0, 2.0, 0], [3.0, 4.0, 1], [5.0, 6.0, 2]], dtype=np.float32)
        features, labels = rows[:, :2], rows[:, 2]
        nn.CrossEntropyLoss()(nn.Linear(2, 3)(torch.from_numpy(features)), torch.from_numpy(labels))
        """,
        ["torch.from_numpy(labels).long())"],
    ),
    "one_function_for_features_and_labels": (
        """
        import torch
        from torch import nn
        def tensor(values):
            return torch.tensor(values, dtype=torch.float32)
        x, y = tensor([[1, 2], [3, 4], [5, 6]]), tensor([0, 1, 2])
        nn.CrossEntropyLoss()(nn.Linear(2, 3)(x), y)
        """,
        ["y.long())"],
    ),
    "each_field_of_a_batch": (
        """
        import torch
        from torch import nn
        batch = {"x": torch.ones(3, 2, dtype=torch.float64), "y": torch.tensor([0, 1, 2])}
        for name in batch:
            batch[name] = batch[name].float()
        nn.CrossEntropyLoss()(nn.Linear(2, 3)(batch["x"]), batch["y"])
        """,
        ['batch["y"].long())'],
    ),
    "nothing_but_labels_is_read": (
        """
        import io, pandas as pd, torch
        from torch import nn
        rows = "".join(f"{i},{'' if i == 7 else i % 3}\\n" for i in range(12))
        frame = pd.read_csv(io.StringIO("row,label\\n" + rows))
        x, y = torch.ones(12, 2), torch.tensor(frame["label"].to_numpy())
        nn.CrossEntropyLoss()(nn.Linear(2, 3)(x), y)
        """,
        ["nn.CrossEntropyLoss()("],
    ),
    "a_model_with_too_few_labels": (
        """
        import torch
        from torch import nn
        class Classifier(nn.Module):
            def __init__(self, **settings):
                super().__init__()
                self.head = nn.Linear(4, settings["num_labels"])
            def forward(self, x, labels):
                return nn.functional.cross_entropy(self.head(x), labels)
        model = Classifier(num_labels=2)
        labels = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3])
        for start in range(0, 8, 3):
            model(torch.randn(3, 4)[: 8 - start], labels[start : start + 3])
        """,
        ["model = Classifier(num_labels=4)"],
    ),
    "dtype_shape_and_sentinel_at_once": (
        """
        import torch, torch.nn.functional as F
        labels = torch.tensor([[0.0], [1], [255], [2], [1], [0]])
        loss = F.cross_entropy(torch.randn(6, 3), labels)
        """,
        ["loss = F.cross_entropy(torch.randn(6, 3), labels.squeeze(1).long(), ignore_index=255)"],
    ),
    "weights_of_classes_in_double": (
        """
        import numpy as np, torch
        from torch import nn
        class Trainer:
            def __init__(self):
                self.loss = nn.NLLLoss(torch.from_numpy(np.array([1.0, 2.0, 4.0])))
        trainer = Trainer()
        trainer.loss(torch.randn(6, 3).log_softmax(1), torch.tensor([0, 1, 2, 0, 1, 2]))
        """,
        ["self.loss = nn.NLLLoss(torch.from_numpy(np.array([1.0, 2.0, 4.0])).to(torch.float32))"],
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
