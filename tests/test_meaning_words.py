"""What is said of numbers that may mean something else: what was seen, and no more."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from lossguard.findings import Certainty, Finding


def only(loss: Any, *args: Any, **kwargs: Any) -> Finding:
    """The one finding of a call."""
    findings = lossguard.check(loss, *args, **kwargs).findings
    assert len(findings) == 1, findings
    return findings[0]


@pytest.mark.parametrize("sums", [0.9, 0.98, 0.995, 1.005, 1.02, 2.0])
def test_float32_rows_that_miss_1_by_more_than_half_precision_are_told(sums: float) -> None:
    rows = torch.randn(8, 5).softmax(1) * sums
    assert only(F.cross_entropy, torch.randn(8, 5), rows).code == "LG304"


def test_a_smoothing_that_forgets_a_share_is_told_although_it_is_small() -> None:
    """0.9 and 0.01 are no numbers of half precision, so nothing excuses a sum of 0.99."""
    smooth = torch.full((8, 10), 0.01).scatter(1, torch.randint(10, (8, 1)), 0.9)
    finding = only(F.cross_entropy, torch.randn(8, 10), smooth)
    assert (finding.code, finding.certainty) == ("LG304", Certainty.CERTAIN)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_tolerance_follows_the_dtype_that_the_values_came_through(dtype: torch.dtype) -> None:
    stored = torch.randn(64, 1000).softmax(1).to(dtype)
    for soft in (stored.float(), stored.double(), stored):
        assert not lossguard.check(F.cross_entropy, torch.randn(64, 1000, dtype=soft.dtype), soft).findings


@pytest.mark.parametrize(
    ("reduction", "certainty"),
    [("sum", Certainty.POSSIBLE), ("none", Certainty.POSSIBLE), ("mean", Certainty.CERTAIN)],
)
def test_rows_with_a_weight_are_a_fault_for_certain_only_where_torch_averages(
    reduction: str, certainty: Certainty
) -> None:
    rows = torch.tensor([[2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 3.0]])
    finding = only(F.cross_entropy, torch.randn(3, 3), rows, reduction=reduction)
    assert (finding.code, finding.certainty) == ("LG304", certainty)


def test_several_labels_are_no_weights() -> None:
    rows = torch.tensor([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    for reduction in ("mean", "sum", "none"):
        finding = only(F.cross_entropy, torch.randn(2, 3), rows, reduction=reduction)
        assert finding.certainty is Certainty.CERTAIN
        assert "several labels at once" in finding.cause


def test_swapped_is_said_only_of_a_target_that_may_be_the_logits() -> None:
    probabilities, several = torch.randn(8, 5).softmax(1), (torch.rand(8, 5) > 0.4).float()
    several[:, :2] = 1
    causes = {finding.code: finding.cause for finding in lossguard.check(F.cross_entropy, probabilities, several)}
    assert "several labels at once" in causes["LG304"]
    swapped = lossguard.check(F.cross_entropy, probabilities, torch.randn(8, 5))
    assert "swapped" in {finding.code: finding.cause for finding in swapped}["LG304"]


def test_values_between_0_and_1_are_not_called_probabilities() -> None:
    finding = only(F.binary_cross_entropy_with_logits, torch.rand(400), torch.ones(400))
    assert (finding.code, finding.certainty) == ("LG303", Certainty.POSSIBLE)
    assert "all 400 values lie between" in finding.message
    assert "these are probabilities" not in finding.message + finding.cause
    certain = only(F.binary_cross_entropy_with_logits, torch.rand(4, requires_grad=True).sigmoid(), torch.ones(4))
    assert (certain.certainty, certain.cause) == (
        Certainty.CERTAIN,
        "these are probabilities, as a sigmoid makes them",
    )


def test_values_above_0_are_logits_for_certain_only_if_a_layer_made_them() -> None:
    labels = torch.randint(3, (8,))
    unknown = only(F.nll_loss, 3 * torch.randn(8, 3), labels)
    layer = only(F.nll_loss, torch.nn.Linear(4, 3)(10 * torch.randn(8, 4)), labels)
    assert (unknown.code, unknown.certainty, unknown.cause) == (
        "LG301",
        Certainty.LIKELY,
        "logits, or logarithms of densities",
    )
    assert (layer.code, layer.certainty, layer.cause) == ("LG301", Certainty.CERTAIN, "these look like logits")


@pytest.mark.parametrize("target", [[0.0, 2.0, 1.0], [0.1, 204.1, 0.1], [0.1, 1.7, 0.9], [-2.0, 3.0, 0.0]])
def test_what_is_no_mark_is_told_though_it_may_be_masked_later(target: list[float]) -> None:
    """Three classes, a mask that was not scaled, and real numbers; smoothed or not."""
    finding = only(F.binary_cross_entropy_with_logits, torch.randn(3), torch.tensor(target), reduction="none")
    assert (finding.code, finding.certainty) == ("LG205", Certainty.LIKELY)


def test_a_smoothed_mark_that_is_averaged_is_a_fault() -> None:
    finding = only(F.binary_cross_entropy_with_logits, torch.randn(3), torch.tensor([0.1, -79.9, 0.9]))
    assert (finding.code, finding.certainty) == ("LG205", Certainty.CERTAIN)
