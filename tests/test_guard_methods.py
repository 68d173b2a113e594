"""Methods of a tensor that pick or write by index: patched where it serves, and gone without a trace."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from elsewhere import DeviceAssert, Elsewhere, devices
from lossguard.guard.calls import patching
from lossguard.guard.calls.entries import METHODS, METHODS_ELSEWHERE

X = torch.arange(12.0).reshape(3, 4)
ROWS = torch.tensor([0, 2])
ALONG = torch.tensor([[0, 2, 1, 1], [1, 0, 0, 2]])
SOURCE = torch.ones(2, 4)

#: Each method with an index that is sound for rows (3) and bad for rows, given the index.
OPERATIONS: dict[str, Callable[[torch.Tensor, Callable[[torch.Tensor], torch.Tensor], int], Any]] = {
    "gather": lambda x, on, worst: x.gather(0, on(_with(ALONG, worst))),
    "gather by name": lambda x, on, worst: x.gather(index=on(_with(ALONG, worst)), dim=0),
    "index_select": lambda x, on, worst: x.index_select(0, on(_with(ROWS, worst))),
    "scatter": lambda x, on, worst: x.scatter(0, on(_with(ALONG, worst)), on(SOURCE)),
    "scatter of a value": lambda x, on, worst: x.scatter(0, on(_with(ALONG, worst)), 7.0),
    "scatter and add": lambda x, on, worst: x.scatter(0, on(_with(ALONG, worst)), value=7.0, reduce="add"),
    "scatter_": lambda x, on, worst: x.clone().scatter_(0, on(_with(ALONG, worst)), on(SOURCE)),
    "scatter_add": lambda x, on, worst: x.scatter_add(0, on(_with(ALONG, worst)), on(SOURCE)),
    "scatter_add_": lambda x, on, worst: x.clone().scatter_add_(0, on(_with(ALONG, worst)), on(SOURCE)),
    "scatter_reduce": lambda x, on, worst: x.scatter_reduce(0, on(_with(ALONG, worst)), on(SOURCE), "amax"),
    "scatter_reduce_": lambda x, on, worst: x.clone().scatter_reduce_(0, on(_with(ALONG, worst)), on(SOURCE), "amax"),
    "index_add": lambda x, on, worst: x.index_add(0, on(_with(ROWS, worst)), on(SOURCE)),
    "index_add_": lambda x, on, worst: x.clone().index_add_(0, on(_with(ROWS, worst)), on(SOURCE)),
    "index_copy": lambda x, on, worst: x.index_copy(0, on(_with(ROWS, worst)), on(SOURCE)),
    "index_copy_": lambda x, on, worst: x.clone().index_copy_(0, on(_with(ROWS, worst)), on(SOURCE)),
    "index_fill": lambda x, on, worst: x.index_fill(0, on(_with(ROWS, worst)), 7.0),
    "index_fill_": lambda x, on, worst: x.clone().index_fill_(0, on(_with(ROWS, worst)), 7.0),
    "take": lambda x, on, worst: x.take(on(_with(ROWS, worst * 4))),
}


def _with(index: torch.Tensor, worst: int) -> torch.Tensor:
    """`index` with its last entry changed."""
    changed = index.clone()
    changed.view(-1)[-1] = worst
    return changed


@pytest.fixture
def accelerator(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that thinks it can reach an accelerator."""
    monkeypatch.setattr(patching, "_has_accelerator", lambda: True)
    with devices():
        yield


def test_every_method_is_tried() -> None:
    tried = {name.partition(" ")[0] for name in OPERATIONS}
    assert tried == {entry.name for entry in METHODS_ELSEWHERE}


@pytest.mark.usefixtures("accelerator")
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_sound_index_gives_what_it_gave_and_waits_for_nothing(name: str) -> None:
    run = OPERATIONS[name]
    expected = run(X, lambda tensor: tensor, 1)
    with lossguard.guard() as watch:
        result = run(Elsewhere(X), Elsewhere, 1)
        here = run(X, lambda tensor: tensor, 1)
        assert len(watch.session.pending) == 1
    assert torch.equal(result.held, expected)
    assert torch.equal(here, expected)
    assert Elsewhere.waits == []
    assert watch.session.troubles == []
    assert not watch.report.findings


@pytest.mark.usefixtures("accelerator")
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("worst", [3, -4])
def test_a_bad_index_reaches_no_kernel_and_is_told_at_the_next_poll(name: str, worst: int) -> None:
    run = OPERATIONS[name]
    with pytest.raises(DeviceAssert):
        run(Elsewhere(X), Elsewhere, worst)
    with lossguard.guard() as watch:
        run(Elsewhere(X), Elsewhere, worst)
        assert Elsewhere.waits == []
        with pytest.raises(IndexError, match="found late") as caught:
            run(Elsewhere(X), Elsewhere, 1)
    assert isinstance(caught.value, lossguard.LossError)
    (finding,) = watch.report.findings
    assert finding.code == "LG210"
    assert finding.samples[0].value in {worst, worst * 4}
    assert watch.session.troubles == []


@pytest.mark.usefixtures("accelerator")
def test_what_is_written_in_place_stays_within_the_tensor() -> None:
    """The rows on both sides of a part keep their values, though the index points at them."""
    whole = torch.zeros(5, 4)
    part = whole[1:4]
    held = Elsewhere(part)
    held.held = part
    watch = lossguard.guard()
    with pytest.raises(IndexError), watch:
        held.scatter_(0, Elsewhere(torch.tensor([[3, -1, 1, 0]])), 7.0)
    assert whole[0].tolist() == whole[4].tolist() == [0, 0, 0, 0]


def test_the_axis_belongs_to_the_plan() -> None:
    """The same shapes at one call site, another axis: other bounds."""
    square = torch.zeros(2, 6)
    index = torch.zeros(2, 2, dtype=torch.int64)
    with devices(), lossguard.guard() as watch:
        for dim, largest in ((0, 1), (1, 5), (0, 1), (1, 5)):
            along, chosen = index + largest, torch.tensor([0, largest])
            torch.gather(Elsewhere(square), dim, Elsewhere(along))
            torch.scatter(Elsewhere(square), dim, Elsewhere(along), 1.0)
            torch.index_select(Elsewhere(square), dim, Elsewhere(chosen))
            torch.gather(Elsewhere(square), index=Elsewhere(along), dim=dim)
        assert Elsewhere.waits == []
    assert not watch.report.findings
    for dim, smallest in ((0, 2), (1, 6)):
        with pytest.raises(IndexError, match="LG210"):
            _gather_twice(square, index, (1 - dim, 0), (dim, smallest))


def _gather_twice(x: torch.Tensor, index: torch.Tensor, *calls: tuple[int, int]) -> None:
    with devices(), lossguard.guard():
        for dim, value in calls:
            torch.gather(Elsewhere(x), dim, Elsewhere(index + value))


def test_a_take_along_dim_that_wraps_is_told_on_the_host_and_elsewhere() -> None:
    index = torch.tensor([[9], [0], [0]])
    with lossguard.guard() as watch, pytest.warns(lossguard.LossWarning, match="LG210"):
        X.take_along_dim(index, 1)
    assert [finding.code for finding in watch.report.findings] == ["LG210"]
    with devices(), warnings.catch_warnings(), lossguard.guard() as watch:
        warnings.simplefilter("ignore", lossguard.LossWarning)
        result = Elsewhere(X).take_along_dim(Elsewhere(index), dim=1)
        assert Elsewhere.waits == []
    assert isinstance(result, Elsewhere)
    assert torch.equal(result.held, X.take_along_dim(index, 1))  # nothing is replaced: torch takes it
    assert [finding.code for finding in watch.report.findings] == ["LG210"]


def test_a_program_without_an_accelerator_pays_nothing() -> None:
    assert not patching._has_accelerator()
    with lossguard.guard():
        patched = {name for name in vars(torch.Tensor) if name in {entry.name for entry in METHODS_ELSEWHERE}}
        assert patched == set()
        assert all(entry.name in vars(torch.Tensor) for entry in METHODS)


def test_asking_for_an_accelerator_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for before in (None, "0"):
        if before is None:
            monkeypatch.delenv("PYTORCH_NVML_BASED_CUDA_CHECK", raising=False)
        else:
            monkeypatch.setenv("PYTORCH_NVML_BASED_CUDA_CHECK", before)
        patching._has_accelerator.cache_clear()
        patching._has_accelerator()
        assert os.environ.get("PYTORCH_NVML_BASED_CUDA_CHECK") == before


@pytest.mark.usefixtures("accelerator")
def test_afterwards_the_class_is_as_before() -> None:
    before = dict(vars(torch.Tensor))
    with lossguard.guard(), lossguard.guard():
        assert all(entry.name in vars(torch.Tensor) for entry in (*METHODS, *METHODS_ELSEWHERE))
    assert dict(vars(torch.Tensor)) == before
    assert list(vars(torch.Tensor)) == list(before)


def _picked(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Some methods in one, as a compiler sees them."""
    rows = index[0]
    written = torch.zeros_like(x).scatter_(0, index, x).scatter_add_(0, index, x)
    return x.gather(0, index).sum() + x.index_select(0, rows).sum() + written.sum() + x.take_along_dim(index, 0).sum()


INDEX = torch.tensor([[0, 2, 1, 1], [1, 0, 0, 2], [2, 1, 0, 0]])


@pytest.fixture
def watched(accelerator: None) -> Iterator[lossguard.guard]:
    del accelerator
    with warnings.catch_warnings(), lossguard.guard() as found:
        warnings.simplefilter("error", lossguard.LossWarning)
        yield found
    assert found.session.troubles == []
    assert not found.report.findings


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile_has_no_graph_break(backend: str) -> None:
    x = X.clone().requires_grad_()
    loss = torch.compile(_picked, fullgraph=True, backend=backend)(x, INDEX)
    assert torch.equal(loss, _picked(X, INDEX))
    loss.backward()
    assert x.grad is not None
    torch._dynamo.reset()


@pytest.mark.usefixtures("watched")
def test_script_trace_and_export() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert torch.equal(torch.jit.script(_picked)(X, INDEX), _picked(X, INDEX))
        traced = torch.jit.trace(_picked, (X, INDEX))
    assert torch.equal(traced(X, INDEX), _picked(X, INDEX))

    class Picking(torch.nn.Module):
        def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
            return x.gather(0, index)

    program = torch.export.export(Picking(), (X, INDEX))
    assert [node.target for node in program.graph.nodes if node.op == "call_function"] == [
        torch.ops.aten.gather.default
    ]


@pytest.mark.usefixtures("watched")
def test_transforms_of_torch_func() -> None:
    each = torch.func.vmap(lambda x, index: x.gather(0, index))(X, INDEX)
    assert torch.equal(each, X.gather(1, INDEX))
    assert torch.func.grad(lambda x: _picked(x, INDEX))(X).shape == X.shape


@pytest.mark.usefixtures("watched")
def test_copies_pickles_and_subclasses() -> None:
    assert torch.equal(copy.deepcopy(X), X)
    assert torch.equal(pickle.loads(pickle.dumps(X)), X)  # noqa: S301 - our own bytes
    assert pickle.loads(pickle.dumps(torch.Tensor)) is torch.Tensor  # noqa: S301 - as above

    table = {torch._C.TensorBase.gather: "known"}
    seen: list[Any] = []

    class Noting(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN206
            seen.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[no-untyped-call]

    given = X.as_subclass(Noting)
    seen.clear()
    assert type(given.gather(0, INDEX)) is Noting
    assert [table[func] for func in seen] == ["known"]
    assert seen == [torch.Tensor.gather]
    assert torch.nn.Parameter(X).gather(0, INDEX).requires_grad


@pytest.mark.usefixtures("watched")
def test_a_method_called_on_the_class_and_errors_as_before() -> None:
    assert torch.equal(torch.Tensor.gather(X, 0, INDEX), X.gather(0, INDEX))
    with pytest.raises(TypeError):
        torch.Tensor.gather()  # type: ignore[call-arg]
    with pytest.raises(RuntimeError, match="out of bounds"):
        X.gather(0, INDEX + 9)
    with torch.device("meta"):
        assert torch.zeros(3, 4).gather(0, torch.zeros(3, 4, dtype=torch.int64)).is_meta
    assert F.one_hot(torch.tensor([1])).tolist() == [[0, 1]]
