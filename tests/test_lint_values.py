"""Lint: what is known of values at a point of a program, in small programs of one text each."""

from __future__ import annotations

import pytest

from lossguard.lint.arguments import Arguments
from lossguard.lint.linting import Options, lint_text
from lossguard.lint.project import Project
from lossguard.lint.samples import SAMPLES, samples
from lossguard.lint.values import Const, Data, Seq, Value


def _codes(text: str) -> list[str]:
    return [each.finding.code for each in lint_text("train.py", text, Options(), Project()).linted]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_samples_of_scikit_learn_are_as_the_table_says(name: str) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    given = {"return_X_y": Const(True)} if name.startswith("load_") else {"n_samples": Const(24)}
    said = samples(name, Arguments((), dict[str, Value](given)))
    made = getattr(datasets, name)(**{key: value.value for key, value in given.items()})
    assert isinstance(said, Seq)
    for known, array in zip(said.items or (), made, strict=True):
        assert isinstance(known, Data)
        assert (known.dtype, known.shape) == (str(array.dtype), array.shape)
        assert not known.holds or known.holds == (array.min(), array.max())


SKLEARN = """\
import torch
from sklearn.datasets import make_classification
from torch import nn

x, y = make_classification(n_samples=40, n_features=6, n_classes=4, n_informative=4)
logits = nn.Linear(6, {outputs})(torch.tensor(x, dtype=torch.float32))
nn.CrossEntropyLoss()(logits, torch.from_numpy(y))
"""


def test_labels_that_scikit_learn_makes_are_known() -> None:
    assert _codes(SKLEARN.format(outputs=3)) == ["LG201"]
    assert _codes(SKLEARN.format(outputs=4)) == []


CHANGED = """\
import torch
from torch import nn

CLASSES = 3
def train(y):
    return nn.CrossEntropyLoss()(nn.Linear(4, CLASSES)(torch.randn(2, 4)), y)
train(torch.tensor([0, 2]))
CLASSES = 2
{last}
"""


def test_names_of_a_module_have_the_value_of_the_moment() -> None:
    """A function that nobody calls any more does not see what its module has afterwards."""
    assert _codes(CHANGED.format(last="train(torch.tensor([0, 2]))")) == ["LG201"]
    assert _codes(CHANGED.format(last="train(torch.tensor([0, 1]))")) == []


@pytest.mark.parametrize("change", ["sizes.update(out=5)", "sizes.update({'out': 5})", "sizes.pop('out')"])
def test_a_dict_that_changes_in_place_is_what_it_became(change: str) -> None:
    text = f"import torch\nfrom torch import nn\nsizes = {{'out': 2}}\n{change}\n"
    last = "nn.CrossEntropyLoss()(nn.Linear(4, sizes['out'])(torch.randn(2, 4)), torch.tensor([0, 4]))\n"
    assert _codes(text + last) == []
    assert _codes(text.replace(change, "pass") + last) == ["LG201"]


MOMENTS = """\
import sys
import torch
from torch import nn

CLASSES = 3
def labels():
    return torch.randint(0, CLASSES, (8,))
def head():
    return nn.Linear(4, CLASSES)
def train():
    return nn.CrossEntropyLoss()(head()(torch.randn(8, 4)), {given})
kept = labels()
train()
{change}
"""


@pytest.mark.parametrize("change", ["CLASSES = 2\ntrain()", "if sys.argv:\n    CLASSES = 2\n    train()\ntrain()"])
def test_what_a_function_gave_is_forgotten_when_its_module_changes(change: str) -> None:
    assert _codes(MOMENTS.format(given="labels()", change=change)) == []


def test_what_was_kept_of_a_function_stays_what_it_was() -> None:
    assert _codes(MOMENTS.format(given="kept", change="")) == []
    assert _codes(MOMENTS.format(given="kept", change="CLASSES = 2\ntrain()")) == ["LG201"]
