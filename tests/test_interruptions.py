"""What a handler of a signal raises while a guard is at work comes to the program."""

from __future__ import annotations

import functools
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from lossguard.guard import errors, seams
from lossguard.guard.calls import examining, preparing, wrapping
from lossguard.interruptions import is_of_handler
from lossguard.tracing import locate

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
X = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))
Y = torch.tensor([0, 1, 2, 3, 4, 0])


def stop(_number: int, _frame: Any) -> None:
    raise TimeoutError("the program's own")


class Stopping:
    """A handler that is an object, with a method that is one too."""

    def __call__(self, number: int, frame: Any) -> None:
        stop(number, frame)

    def stop(self, number: int, frame: Any) -> None:
        stop(number, frame)


HANDLERS: list[Any] = [
    stop,
    Stopping(),
    Stopping().stop,
    functools.partial(functools.partial(lambda _extra, number, frame: stop(number, frame), 1)),
]


@pytest.fixture
def handled() -> Iterator[Callable[[Any], Any]]:
    before = signal.getsignal(signal.SIGUSR1)
    yield functools.partial(signal.signal, signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


def interrupted(*_: Any, **__: Any) -> Any:
    signal.raise_signal(signal.SIGUSR1)
    return None


@pytest.mark.parametrize("handler", HANDLERS)
def test_every_kind_of_handler_is_known(handler: Any, handled: Callable[[Any], None]) -> None:
    handled(handler)
    with pytest.raises(TimeoutError) as caught:
        interrupted()
    assert is_of_handler(caught.value)
    with pytest.raises(ZeroDivisionError) as other:
        divmod(1, 0)
    assert not is_of_handler(other.value)


PLACES = [
    (examining, "look"),
    (examining, "one_thread"),
    (seams, "checked"),
    (locate, "locate"),
    (preparing, "make_plan"),
    (preparing, "autocasting"),
    (wrapping, "_tracing"),
    (errors, "words"),
    (warnings, "showwarning"),
]


@pytest.mark.parametrize(("owner", "name"), PLACES)
def test_it_is_let_through_wherever_we_are(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch, handled: Callable[[Any], None]
) -> None:
    def step(labels: torch.Tensor) -> None:
        F.cross_entropy(X, labels)

    def every_kind() -> None:
        step(Y)
        F.nll_loss(X * 5 + 9, Y)
        step(Y + 9)

    handled(stop)
    with warnings.catch_warnings(record=True), lossguard.guard(record="off") as watch:
        warnings.simplefilter("always")
        for _ in range(3):
            step(Y)
        monkeypatch.setattr(owner, name, interrupted)
        with pytest.raises(TimeoutError) as caught:
            every_kind()
        monkeypatch.undo()
    assert watch.session.troubles == []
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "stop"
    assert not {"guarded", "look_back", "_entered", "examine_error"} & set(names)


def test_what_it_raises_inside_of_torch_is_no_fault_of_the_loss(handled: Callable[[Any], None]) -> None:
    handled(stop)

    def distance(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        interrupted()
        return a - b

    with lossguard.guard() as watch, pytest.raises(TimeoutError) as caught:
        F.triplet_margin_with_distance_loss(X, X, X, distance_function=distance)
    assert not hasattr(caught.value, "__notes__")
    assert watch.report.findings == ()
