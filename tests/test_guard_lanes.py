"""The short way through the wrapper: taken by calls like the last one of their place, and by no others."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

import lossguard
from lossguard.guard.calls import preparing, wrapping

X = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))
Y = torch.tensor([0, 1, 2, 3, 4, 0])
Criterion = Callable[..., torch.Tensor]


def loss_of(x: torch.Tensor, y: torch.Tensor, criterion: Criterion = F.cross_entropy, **settings: Any) -> torch.Tensor:
    """One line that calls a loss, whatever calls it."""
    return criterion(x, y, **settings)


@pytest.fixture
def long_ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The losses of calls that did not go the short way."""
    taken: list[str] = []
    original = preparing.prepared

    def prepared(session: Any, entry: Any, *rest: Any) -> Any:
        taken.append(entry.loss)
        return original(session, entry, *rest)

    monkeypatch.setattr(wrapping, "prepared", prepared)
    return taken


@pytest.fixture
def watched() -> Iterator[lossguard.guard]:
    """A guard at which this file's line has been called often enough to go the short way."""
    with warnings.catch_warnings(), lossguard.guard() as found:
        warnings.simplefilter("error")
        for _ in range(6):
            loss_of(X, Y)
        yield found
    assert found.session.troubles == []
    assert found.report.findings == ()


@pytest.mark.parametrize(
    ("criterion", "x", "y"),
    [
        (F.cross_entropy, X, Y),
        (nn.CrossEntropyLoss(), X, Y),
        (nn.CrossEntropyLoss(reduction="none", ignore_index=3), X, Y),
        (F.mse_loss, X, X + 1),
        (nn.BCEWithLogitsLoss(), X, torch.ones_like(X)),
        (F.embedding, Y, nn.Parameter(X)),
    ],
)
def test_the_second_call_of_a_kind_goes_the_short_way(
    criterion: Criterion, x: torch.Tensor, y: torch.Tensor, long_ways: list[str]
) -> None:
    plain = criterion(x, y)
    with lossguard.guard():
        again = [loss_of(x, y, criterion) for _ in range(20)]
    assert len(long_ways) == 1
    assert all(torch.equal(each, plain) for each in again)


def test_places_that_take_turns_all_go_the_short_way(long_ways: list[str]) -> None:
    criterion = nn.CrossEntropyLoss()
    with lossguard.guard() as found:
        for _ in range(10):
            F.cross_entropy(X, Y)
            criterion(X, Y)
            loss_of(X, Y)
            loss_of(X, Y, criterion)
    assert len(long_ways) == 4
    assert sorted(site.calls for site in found.session.sites.values()) == [10, 10, 20]


@pytest.mark.parametrize(
    ("x", "y", "settings"),
    [
        (X[:5], Y[:5], {}),
        (X.double(), Y, {}),
        (X, torch.softmax(X, 1), {}),
        (X, Y.to(torch.uint8), {}),
        (X, Y, {"ignore_index": 0}),
        (X, Y, {"reduction": "sum"}),
        (X, Y, {"label_smoothing": 0.1}),
        (nn.Parameter(X), Y, {}),
    ],
)
def test_a_call_of_another_kind_goes_the_long_way(
    x: torch.Tensor, y: torch.Tensor, settings: dict[str, Any], long_ways: list[str]
) -> None:
    with lossguard.guard():
        for _ in range(5):
            loss_of(X, Y)
        loss_of(x, y, **settings)
        assert len(long_ways) == 2
        loss_of(X, Y)
    assert len(long_ways) == 3


def test_a_new_place_gets_its_first_look_however_well_its_shapes_are_known() -> None:
    probabilities = torch.softmax(X * 9, 1)
    with warnings.catch_warnings(), lossguard.guard() as found:
        warnings.simplefilter("ignore", lossguard.LossWarning)
        for _ in range(9):
            loss_of(X, Y)
        F.cross_entropy(probabilities, Y)
    assert [finding.code for finding in found.report.findings] == ["LG303"]


def test_a_broadcast_among_calls_of_equal_shapes_is_seen() -> None:
    with warnings.catch_warnings(), lossguard.guard() as found:
        warnings.simplefilter("ignore")
        for _ in range(5):
            loss_of(torch.ones(4, 4), torch.zeros(4, 4), F.mse_loss)
        loss_of(torch.ones(4, 1), torch.zeros(4), F.mse_loss)
    assert [finding.code for finding in found.report.findings] == ["LG406"]


def test_a_nan_on_the_short_way_is_looked_at() -> None:
    with warnings.catch_warnings(), lossguard.guard() as found:
        warnings.simplefilter("ignore", lossguard.LossWarning)
        for _ in range(6):
            loss_of(X, Y)
        loss_of(X / 0, Y)
    assert [(finding.code, finding.evidence["first_step"]) for finding in found.report.findings] == [("LG207", 7)]


def test_an_error_on_the_short_way_gets_its_note() -> None:
    with lossguard.guard() as found:
        for _ in range(6):
            loss_of(X, Y)
        with pytest.raises(IndexError) as caught:
            loss_of(X, Y + 1)
    assert len(caught.value.__notes__) == 1
    assert [finding.code for finding in found.report.findings] == ["LG201"]


def test_a_stack_less_deep_than_last_time_is_no_trouble() -> None:
    def deep(levels: int) -> torch.Tensor:
        return deep(levels - 1) if levels else loss_of(X, Y)

    seen: list[torch.Tensor] = []
    with lossguard.guard() as found:
        for _ in range(3):
            deep(50)
        # A thread begins with a stack of its own, of three frames or so.
        thread = threading.Thread(target=lambda: seen.extend(loss_of(X, Y) for _ in range(3)))
        thread.start()
        thread.join()
    assert torch.equal(seen[0], F.cross_entropy(X, Y))
    assert found.session.troubles == []
    assert [site.calls for site in found.session.sites.values()] == [6]


def test_fewer_arguments_than_last_time_are_torchs_own_error(watched: lossguard.guard) -> None:
    del watched
    with pytest.raises(TypeError, match="missing 1 required positional"):
        F.cross_entropy(X)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="cross_entropy_loss"):
        torch._C._nn.cross_entropy_loss(X)  # type: ignore[call-arg]


def test_transforms_take_the_short_way_unread(watched: lossguard.guard) -> None:
    del watched
    batch = torch.stack([X, X + 1])
    expected = torch.stack([F.cross_entropy(X, Y), F.cross_entropy(X + 1, Y)])
    assert torch.allclose(torch.vmap(lambda x: loss_of(x, Y))(batch), expected)
    assert torch.equal(torch.func.grad(lambda x: loss_of(x, Y))(X), torch.func.grad(lambda x: F.cross_entropy(x, Y))(X))


def test_a_bad_label_inside_a_transform_is_torchs_own_error(watched: lossguard.guard) -> None:
    with pytest.raises(IndexError) as caught:
        torch.func.grad(lambda x: loss_of(x, Y + 1))(X)
    assert not getattr(caught.value, "__notes__", [])
    assert watched.session.troubles == []


def test_a_trace_on_the_short_way_holds_nothing_of_ours(watched: lossguard.guard) -> None:
    del watched
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit.trace")
        traced = torch.jit.trace(lambda x: loss_of(x, Y), X)
    assert "item" not in str(traced.graph)
    assert "_local_scalar_dense" not in str(traced.graph)


def test_a_dispatch_mode_sees_no_reading_on_the_short_way(watched: lossguard.guard) -> None:
    del watched
    seen: list[str] = []

    class Seeing(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            del types
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Seeing():  # type: ignore[no-untyped-call]
        loss_of(X, Y)
    assert seen == ["aten._log_softmax.default", "aten.nll_loss_forward.default"]


def test_a_guard_that_is_over_is_let_go() -> None:
    import gc
    import weakref

    guard = lossguard.guard()
    with guard:
        for _ in range(3):
            loss_of(X, Y)
    reference = weakref.ref(guard)
    del guard
    gc.collect()
    assert reference() is None
