"""Whoever holds, compares, pickles, patches or inspects torch's functions finds them as they are without a guard."""

from __future__ import annotations

import copy
import functools
import inspect
import io
import pickle
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.dataloader import _BaseDataLoaderIter

import lossguard
from lossguard.guard.calls import patching
from lossguard.inplace import InPlace, can_be_changed

X, Y = torch.rand(2, 2), torch.zeros(2, 2, dtype=torch.long)
#: Functions written in Python and in C, under names of torch and of torch.nn.functional.
HELD: list[tuple[Any, str]] = [
    (F, "binary_cross_entropy_with_logits"),
    (F, "binary_cross_entropy"),
    (F, "gaussian_nll_loss"),
    (F, "multi_margin_loss"),
    (F, "cross_entropy"),
    (F, "one_hot"),
    (torch, "gather"),
    (torch, "ctc_loss"),
    (torch, "embedding"),
    (torch, "kl_div"),
    (torch.Tensor, "take_along_dim"),
]
NAMES = [name for _, name in HELD]


class Model(nn.Module):
    """A model that holds a loss function, as many do."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function


def saved(model: Any) -> Any:
    """What is there after saving and loading."""
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False).function


@pytest.mark.parametrize(("owner", "name"), HELD, ids=NAMES)
def test_what_holds_a_function_is_saved_at_any_time(owner: Any, name: str) -> None:
    original = getattr(owner, name)
    before = Model(original)
    with lossguard.guard():
        under = Model(getattr(owner, name))
        assert saved(before) == original
        assert saved(under) == original
        assert pickle.loads(pickle.dumps(original)) == original  # noqa: S301 - our own bytes
        assert copy.deepcopy(under).function == copy.copy(under.function) == original
    assert saved(under) is original
    assert saved(before) is original


@pytest.mark.parametrize(("owner", "name"), HELD, ids=NAMES)
def test_inspection_tells_the_same_during_a_guard(owner: Any, name: str) -> None:
    def told() -> list[Any]:
        function = getattr(owner, name)
        answers: list[Any] = [isinstance(function, kind) for kind in (types.FunctionType, types.BuiltinFunctionType)]
        answers += [getattr(function, part, "absent") for part in ("__name__", "__qualname__", "__doc__")]
        answers += [getattr(function, part, "absent") for part in ("__defaults__", "__kwdefaults__")]
        answers += [getattr(function, "__annotations__", None) or {}]
        answers += [getattr(function, "__module__", None)]  # a method has none
        answers += [torch.overrides.resolve_name(function), repr(function), hash(function), callable(function)]
        answers += [inspect.isbuiltin(function), inspect.isroutine(function), hasattr(function, "__code__")]
        while isinstance(function, functools.partial):
            function = function.func
        answers.append(repr(function))
        for ask in (inspect.signature, inspect.getfullargspec, inspect.getsource, inspect.getsourcelines):
            try:
                answers.append(ask(function))
            except (TypeError, ValueError) as error:
                answers.append(type(error))
        return answers

    before = told()
    with lossguard.guard():
        assert told() == before
    assert told() == before


def test_functions_written_in_python_stay_the_same_objects() -> None:
    before = [getattr(owner, name) for owner, name in HELD[:5]]
    with lossguard.guard():
        assert all(getattr(owner, name) is known for (owner, name), known in zip(HELD, before, strict=False))


HANDLED: dict[Any, Callable[..., Any]] = {}


class Mine:
    """Something that stands for a tensor and looks functions up, as torch's own guide shows."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        if func is torch.index_select:
            return "by identity"
        return HANDLED[func](*args, **(kwargs or {})) if func in HANDLED else NotImplemented


MINE: Any = Mine()
CALLS: list[tuple[Callable[[], Any], tuple[Any, ...], dict[str, Any]]] = [
    (lambda: torch.gather, (Mine(), 0, Y), {}),
    (lambda: torch.gather, (), {"input": Mine(), "dim": 0, "index": Y}),
    (lambda: torch.embedding, (Mine(), Y), {}),
    (lambda: F.one_hot, (Mine(), 3), {}),
    (lambda: F.binary_cross_entropy, (Mine(), Y), {}),
    (lambda: F.gaussian_nll_loss, (Mine(), Y, Y), {}),
    (lambda: F.mse_loss, (Mine(), Y), {}),
    (lambda: torch._C._nn.mse_loss, (Mine(), Y), {}),
    (lambda: torch.take_along_dim, (Mine(), Y), {}),
]


@pytest.mark.parametrize("registered", ["before", "during"])
@pytest.mark.parametrize(("function", "args", "kwargs"), CALLS)
def test_a_table_finds_functions_registered_before_and_during(
    registered: str, function: Callable[[], Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    HANDLED.clear()
    if registered == "before":
        HANDLED[function()] = lambda *_, **__: "mine"
    with lossguard.guard() as watch:
        HANDLED[function()] = lambda *_, **__: "mine"
        assert [function()(*args, **kwargs) for _ in range(3)] == ["mine"] * 3
    assert function()(*args, **kwargs) == "mine"
    assert len(HANDLED) == 1
    assert watch.session.troubles == []


def test_a_comparison_by_identity_holds_during_a_guard() -> None:
    with lossguard.guard():
        assert torch.index_select(MINE, 0, Y) == "by identity"
    assert torch.index_select(MINE, 0, Y) == "by identity"


def test_what_nobody_implements_is_a_type_error_still() -> None:
    HANDLED.clear()
    with lossguard.guard(), pytest.raises(TypeError, match=r"torch\.gather"):
        torch.gather(MINE, 0, Y)


def test_a_function_in_a_class_is_not_bound_to_its_instances() -> None:
    with lossguard.guard():

        class Holder:
            pick: Any = torch.gather

        assert torch.equal(Holder().pick(X, 1, Y), torch.gather(X, 1, Y))
        assert torch.equal(Holder.pick(X, 1, Y), torch.gather(X, 1, Y))


def bce() -> Any:
    """A call of a function that is written in Python."""
    return F.binary_cross_entropy(X, X)


def pick() -> Any:
    """A call of a function that is written in C."""
    return torch.gather(X, 1, Y)


@pytest.fixture(params=[(F, "binary_cross_entropy", bce), (torch, "gather", pick)], ids=["Python", "C"])
def patchable(request: pytest.FixtureRequest) -> Iterator[tuple[Any, str, Callable[[], Any]]]:
    """A name that somebody patches; afterwards it is torch's own again."""
    owner, name, call = request.param
    original = getattr(owner, name)
    with lossguard.guard():
        pass
    yield owner, name, call
    setattr(owner, name, original)
    patching._COVERED.clear()
    assert patching.installed() == ()


def counting(function: Any, log: list[int]) -> Any:
    """A patch that somebody makes."""

    def patched(*args: Any, **kwargs: Any) -> Any:
        log.append(1)
        return function(*args, **kwargs)

    return patched


def test_a_patch_made_before_a_guard_works_in_it_and_outlives_it(patchable: Any) -> None:
    owner, name, call = patchable
    log: list[int] = []
    patch = counting(getattr(owner, name), log)
    setattr(owner, name, patch)
    for _ in range(2):
        with lossguard.guard():
            call()
        assert getattr(owner, name) is patch
    assert len(log) == 2


def test_a_patch_made_during_a_guard_outlives_it_and_calls_are_judged_once(patchable: Any) -> None:
    owner, name, call = patchable
    log: list[int] = []
    with lossguard.guard():
        patch = counting(getattr(owner, name), log)
        setattr(owner, name, patch)
        call()
    assert getattr(owner, name) is patch
    call()
    with lossguard.guard() as watch:
        call()
    assert getattr(owner, name) is patch
    assert len(log) == 3
    assert [site.calls for site in watch.session.sites.values()] == [1]


def test_a_patch_taken_back_after_the_guard_leaves_torchs_own(patchable: Any) -> None:
    owner, name, call = patchable
    pristine = getattr(owner, name)
    with lossguard.guard():
        found = getattr(owner, name)
        setattr(owner, name, counting(found, []))
    setattr(owner, name, found)
    call()
    with lossguard.guard() as watch:
        call()
        assert [site.calls for site in watch.session.sites.values()] == [1]
    assert getattr(owner, name) is pristine


def test_a_patch_of_something_else_is_left_alone(patchable: Any) -> None:
    owner, name, call = patchable

    class Stub:
        called = 0

        def __call__(self, *args: Any, **kwargs: Any) -> str:
            del args, kwargs
            self.called += 1
            return "stub"

    stub = Stub()
    setattr(owner, name, stub)
    with lossguard.guard():
        assert call() == "stub"
        assert getattr(owner, name) is stub
    assert stub.called == 1


def test_patches_of_the_loader_outlive_a_guard() -> None:
    pristine = _BaseDataLoaderIter.__next__
    seen: list[int] = []

    def batches() -> list[list[int]]:
        return [batch.tolist() for (batch,) in DataLoader(TensorDataset(torch.arange(4)), batch_size=2)]

    try:
        with lossguard.guard():
            inner = _BaseDataLoaderIter.__next__
            _BaseDataLoaderIter.__next__ = lambda self: (seen.append(1), inner(self))[1]  # type: ignore[method-assign, func-returns-value]
            patch = _BaseDataLoaderIter.__next__
            assert batches() == [[0, 1], [2, 3]]
        assert _BaseDataLoaderIter.__next__ is patch
        assert batches() == [[0, 1], [2, 3]]
        with lossguard.guard():
            assert batches() == [[0, 1], [2, 3]]
        assert len(seen) == 9
    finally:
        _BaseDataLoaderIter.__next__ = pristine  # type: ignore[method-assign]


def outer(free: int) -> Any:
    """A function with a variable of another one."""

    def inner() -> int:
        return free

    return inner


def every(a: int, /, b: int = 2, *c: int, d: int, e: int = 5, **f: int) -> tuple[Any, ...]:
    """Parameters of every kind."""
    return a, b, c, d, e, f


def test_any_signature_is_changed_in_place_and_back() -> None:
    def make(original: Callable[..., Any]) -> dict[str, Any]:
        return {"original": original}

    before = every.__code__, inspect.signature(every)
    changed = InPlace(every, "return ('changed', *_lossguard_original({arguments}))", make)  # type: ignore[arg-type]
    changed.put_in()
    assert every(1, d=4) == ("changed", 1, 2, (), 4, 5, {})
    assert every(1, 7, 8, 9, d=4, e=3, g=2) == ("changed", 1, 7, (8, 9), 4, 3, {"g": 2})
    assert inspect.signature(every) == before[1]
    changed.take_out()
    assert every(1, d=4) == (1, 2, (), 4, 5, {})
    assert every.__code__ is before[0]
    assert not can_be_changed(outer(1))
    assert not can_be_changed(torch.gather)


def test_code_that_somebody_else_has_changed_is_left_alone() -> None:
    def written() -> int:
        return 1

    function: Any = written
    own = function.__code__
    changed = InPlace(function, "return 2", lambda _: {})
    other = (lambda: 3).__code__
    function.__code__ = other
    changed.put_in()
    assert function() == 3
    function.__code__ = own
    changed.put_in()
    assert function() == 2
    function.__code__ = other
    changed.take_out()
    assert function() == 3
