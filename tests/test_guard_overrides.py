"""Programs that put something of their own between the loss and torch: the guard is not seen, and not in the way."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

import lossguard

X = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))
P = X.sigmoid()
Y = torch.tensor([0, 1, 2, 3, 4, 0])
#: Enough for the first, the second and the later ways through the wrapper.
OFTEN = 6

#: Names as a program holds them that was imported before the guard began.
HANDLED = (
    F.binary_cross_entropy,
    F.gaussian_nll_loss,
    F.margin_ranking_loss,
    F.one_hot,
    F.cross_entropy,
    torch.gather,
    torch.kl_div,
)
PICKLED: list[tuple[Any, str]] = [
    (torch, "gather"),
    (torch, "embedding"),
    (torch, "ctc_loss"),
    (F, "one_hot"),
    (F, "binary_cross_entropy"),
]
FORMS = {(owner, name): pickle.dumps(getattr(owner, name)) for owner, name in PICKLED}


@pytest.fixture
def watched() -> Iterator[lossguard.guard]:
    """A guard that must have nothing to say."""
    with warnings.catch_warnings(), lossguard.guard() as found:
        warnings.simplefilter("error", lossguard.LossWarning)
        yield found
    assert found.session.troubles == []
    assert not found.report


def calls(x: Tensor, p: Tensor, y: Tensor) -> list[Any]:
    """Losses of every kind of plan, made of tensors of any kind."""
    return [
        F.cross_entropy(x, y),
        F.mse_loss(x, p),
        F.binary_cross_entropy(p, p),
        F.binary_cross_entropy_with_logits(x, p),
        F.binary_cross_entropy_with_logits(x, p, reduction="none"),
        F.multilabel_soft_margin_loss(x, p),
        F.kl_div(x.log_softmax(1), x.softmax(1), reduction="batchmean"),
        torch.gather(x, 1, y[:, None]),
        torch.take_along_dim(x, y[:, None], 1),
        x.take_along_dim(y[:, None], 1),
    ]


def name_of(function: Any) -> str:
    """What a recorder writes down of a call."""
    return str(getattr(function, "__name__", function))


class Recorder(TorchFunctionMode):
    """Writes down what it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        self.seen.append(name_of(func))
        return func(*args, **(kwargs or {}))


def recorded() -> list[str]:
    """What a mode sees of the losses, and what it sees of one that is refused."""
    recorder = Recorder()
    with recorder:
        for _ in range(OFTEN):
            calls(X, P, Y), F.one_hot(Y, 5)
    return recorder.seen


def test_a_function_mode_sees_its_own_calls_only() -> None:
    expected = recorded()
    with lossguard.guard() as found:
        assert recorded() == expected
    assert found.session.troubles == []


class Seeing(Tensor):
    """A subclass that writes down what is done to it."""

    seen: list[str] = []  # noqa: RUF012 - one list for all, which each test empties

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.seen.append(name_of(func))
        return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[no-untyped-call]


def seen_by_a_subclass() -> list[str]:
    """What a subclass sees of the losses."""
    Seeing.seen.clear()
    for _ in range(OFTEN):
        calls(X.as_subclass(Seeing), P.as_subclass(Seeing), Y)
    return list(Seeing.seen)


def test_a_subclass_sees_its_own_calls_only() -> None:
    expected = seen_by_a_subclass()
    with lossguard.guard() as found:
        assert seen_by_a_subclass() == expected
    assert found.session.troubles == []


class Handling(Tensor):
    """A subclass that looks functions up in a table, as torch's own guide shows."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in HANDLED:
            return "handled"
        return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[no-untyped-call]


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: F.binary_cross_entropy(x, y),  # noqa: PLW0108 - looked up while the guard is on
        lambda x, y: F.gaussian_nll_loss(x, y, var=1.0),
        lambda x, y: F.margin_ranking_loss(x, y, y),
        lambda _, y: F.one_hot(y, 5),
        lambda _, y: F.one_hot(num_classes=5, tensor=y),
        lambda x, y: F.cross_entropy(x, y),  # noqa: PLW0108 - as above
        lambda x, y: torch.gather(x, 1, y),
        lambda x, y: torch.kl_div(x, y),  # noqa: PLW0108 - as above
    ],
)
def test_a_table_of_functions_finds_what_was_put_into_it(call: Callable[[Tensor, Tensor], Any]) -> None:
    assert call(X.as_subclass(Handling), Y.as_subclass(Handling)) == "handled"


class Packed(Tensor):
    """A tensor that keeps its values elsewhere, and lets nobody read them."""

    held: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def of(cls, held: Tensor) -> Packed:
        """`held`, out of reach."""
        packed: Packed = Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype, device=held.device)
        packed.held = held
        return packed

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        del types
        if any(word in str(func) for word in ("aminmax", "_local_scalar_dense", "isnan")):
            raise NotImplementedError(f"no {func}")
        result = func(*map(unpacked, args), **{name: unpacked(value) for name, value in (kwargs or {}).items()})
        return cls.of(result) if isinstance(result, Tensor) else result


def unpacked(value: Any) -> Any:
    """What a packed tensor holds."""
    return value.held if isinstance(value, Packed) else value


def test_a_tensor_that_nobody_may_read_is_not_read(watched: lossguard.guard) -> None:
    del watched
    for _ in range(OFTEN):
        found = [unpacked(result) for result in calls(*map(Packed.of, (X, P, Y)))]
    assert all(map(torch.equal, found, calls(X, P, Y)))


def test_fake_tensors_outside_of_their_mode(watched: lossguard.guard) -> None:
    del watched
    mode = FakeTensorMode()
    for _ in range(OFTEN):
        shapes = [result.shape for result in calls(*map(mode.from_tensor, (X, P, Y)))]
    assert shapes == [result.shape for result in calls(X, P, Y)]


def test_a_symbolic_trace_is_no_loss(watched: lossguard.guard) -> None:
    del watched

    class Model(torch.nn.Module):
        def forward(self, x: Tensor, p: Tensor, y: Tensor) -> list[Any]:
            return calls(x, p, y)

    traced = torch.fx.symbolic_trace(Model())
    assert all(map(torch.equal, traced(X, P, Y), calls(X, P, Y)))


def test_nested_tensors_of_old_have_no_shape(watched: lossguard.guard) -> None:
    del watched
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        nested = torch.nested.nested_tensor([torch.tensor([0, 1]), torch.tensor([2])])
    for _ in range(OFTEN):
        rows = F.embedding(nested, X).unbind()
    assert torch.equal(rows[1], X[2:3])


@pytest.mark.usefixtures("watched")
def test_rows_of_packed_tensors_are_no_fault() -> None:
    places = torch.tensor([1, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        quantised = torch.quantize_per_tensor(P, 0.1, 0, torch.quint8)
    for _ in range(OFTEN):
        assert torch.equal(torch.index_select(X.to_sparse(), 0, places).to_dense(), X[1:3])
        torch.index_select(quantised, 0, places)


def refusal(call: Callable[[], Any]) -> tuple[str, str]:
    """How a call that torch refuses is refused."""
    with pytest.raises(Exception) as refused:  # noqa: PT011 - whatever it is, it must be the same
        call()
    return type(refused.value).__name__, str(refused.value)


def one_hot_of(classes: Any) -> Tensor:
    """One line that is called with anything."""
    return F.one_hot(Y, classes)


def squared(x: Tensor) -> Tensor:
    """One line that is called with any layout."""
    return torch._C._nn.mse_loss(x, X)


@pytest.mark.parametrize(
    "call",
    [
        lambda: one_hot_of([5]),
        lambda: one_hot_of(torch.tensor([5, 6])),
        lambda: squared(X.to_sparse()),
    ],
)
def test_what_torch_refuses_is_refused_in_its_own_words(call: Callable[[], Any]) -> None:
    expected = refusal(call)
    with lossguard.guard() as found:
        assert refusal(call) == expected
        for _ in range(OFTEN):
            one_hot_of(5), squared(P)
        assert refusal(call) == expected
    assert found.session.troubles == []


@pytest.mark.parametrize(("owner", "name"), PICKLED)
def test_functions_pickle_during_a_guard_and_after(owner: Any, name: str) -> None:
    original = getattr(owner, name)
    with lossguard.guard():
        during = pickle.dumps(getattr(owner, name))
        assert pickle.loads(FORMS[owner, name]) in {original, getattr(owner, name)}  # noqa: S301 - our own bytes
    assert pickle.loads(during) is original  # noqa: S301 - our own bytes


def huber(x: Tensor) -> Tensor:
    """One line that is called with and without gradients."""
    return F.huber_loss(x, torch.zeros(6, 5, dtype=torch.float64))


def test_what_only_training_breaks_is_seen_after_an_evaluation() -> None:
    with lossguard.guard() as found:
        with torch.no_grad():
            for _ in range(5):
                huber(X)
        with pytest.warns(lossguard.LossWarning, match="LG105"):
            huber(X.clone().requires_grad_())
    assert [finding.code for finding in found.report.findings] == ["LG105"]
