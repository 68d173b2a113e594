"""What a guard must not disturb: compilers, tracers, transforms, modes, subclasses; results to the last bit."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

import lossguard
from lossguard.contracts.loss import known_losses
from lossguard.guard.calls.patching import installed

X = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))
Y = torch.tensor([0, 1, 2, 3, 4, -100])


def losses(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Several losses in one, as a compiler sees them."""
    return (
        F.cross_entropy(x, y)
        + F.nll_loss(F.log_softmax(x, 1), y)
        + F.mse_loss(x, torch.zeros_like(x))
        + F.binary_cross_entropy(torch.sigmoid(x), torch.ones_like(x))
        + F.binary_cross_entropy_with_logits(x, torch.ones_like(x))
    )


@pytest.fixture
def watched() -> Iterator[lossguard.guard]:
    with warnings.catch_warnings(), lossguard.guard(deep="always") as found:
        warnings.simplefilter("error", lossguard.LossWarning)
        yield found
    assert found.session.troubles == []
    assert not found.report


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.usefixtures("watched")
def test_compile_has_no_graph_break(backend: str) -> None:
    expected = losses(X, Y)
    compiled = torch.compile(losses, fullgraph=True, backend=backend)
    x = X.clone().requires_grad_()
    loss = compiled(x, Y)
    torch.testing.assert_close(loss.detach(), expected, rtol=0, atol=1e-6)
    loss.backward()
    torch._dynamo.reset()


@pytest.mark.usefixtures("watched")
def test_script_takes_functions_and_modules_during_and_after() -> None:
    expected = losses(X, Y)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit.")
        assert torch.equal(torch.jit.script(losses)(X, Y), expected)
        scripted = torch.jit.script(nn.CrossEntropyLoss())
        assert torch.equal(scripted(X, Y), F.cross_entropy(X, Y))
        torch.jit.script(nn.BCELoss())


@pytest.mark.usefixtures("watched")
def test_a_trace_holds_nothing_of_ours() -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit.")
        warnings.simplefilter("ignore", torch.jit.TracerWarning)  # type: ignore[attr-defined]
        traced = torch.jit.trace(losses, (X, Y))
    assert "aminmax" not in str(traced.graph)
    assert "lossguard" not in str(traced.graph), "nor does it name a file of ours"
    assert installed(), "and afterwards all is watched as before"
    assert torch.equal(traced(X, Y), losses(X, Y))


@pytest.mark.usefixtures("watched")
def test_export_holds_nothing_of_ours() -> None:
    program = torch.export.export(nn.CrossEntropyLoss(), (X, Y))
    assert [node.target for node in program.graph.nodes if node.op == "call_function"] == [
        torch.ops.aten.cross_entropy_loss.default
    ]


@pytest.mark.filterwarnings("ignore:.*torch.jit.script")  # torch's forward mode scripts by itself
@pytest.mark.usefixtures("watched")
def test_transforms_of_torch_func() -> None:
    def loss(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(x, y)

    each = torch.func.vmap(loss)(X, Y.clamp(0))
    assert torch.equal(each, F.cross_entropy(X, Y.clamp(0), reduction="none"))
    x = X.clone().requires_grad_()
    (expected,) = torch.autograd.grad(loss(x, Y), x)
    assert torch.equal(torch.func.grad(loss)(X, Y), expected)
    assert torch.func.hessian(loss)(X, Y).shape == (6, 5, 6, 5)
    assert torch.func.jvp(lambda x: loss(x, Y), (X,), (X,))[1].shape == ()


@pytest.mark.usefixtures("watched")
def test_fake_and_meta_tensors() -> None:
    with FakeTensorMode() as mode:
        assert F.cross_entropy(mode.from_tensor(X), mode.from_tensor(Y)).shape == ()
    outside = FakeTensorMode()
    F.cross_entropy(outside.from_tensor(X), outside.from_tensor(Y))
    with torch.device("meta"):
        F.mse_loss(torch.randn(3), torch.randn(3))


@pytest.mark.usefixtures("watched")
def test_a_users_dispatch_mode_sees_its_own_operations_only() -> None:
    class Recorder(TorchDispatchMode):
        seen: list[str]

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    recorder = Recorder()  # type: ignore[no-untyped-call]
    recorder.seen = []
    with recorder:
        F.nll_loss(X.log_softmax(1), Y)
    assert recorder.seen == ["aten._log_softmax.default", "aten.nll_loss_forward.default"]


@pytest.mark.usefixtures("watched")
def test_a_default_device_and_autocast() -> None:
    with torch.device("cpu"), torch.autocast("cpu", dtype=torch.bfloat16):
        assert F.cross_entropy(X.bfloat16(), Y).dtype is torch.float32


@pytest.mark.usefixtures("watched")
def test_subclasses_come_back_as_themselves() -> None:
    class Named(torch.Tensor):
        pass

    assert type(F.cross_entropy(X.as_subclass(Named), Y)) is Named


@pytest.mark.usefixtures("watched")
def test_inference_mode_and_no_grad() -> None:
    with torch.inference_mode():
        assert F.cross_entropy(X, Y).is_inference()


@pytest.mark.usefixtures("watched")
def test_functions_pickle_by_name_during_a_guard() -> None:
    for function in (F.cross_entropy, F.binary_cross_entropy, F.gaussian_nll_loss):
        assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 - our own bytes


@pytest.mark.usefixtures("watched")
def test_random_numbers_are_what_they_would_be() -> None:
    torch.manual_seed(0)
    F.cross_entropy(X, Y)
    with_guard = torch.rand(3)
    torch.manual_seed(0)
    assert torch.equal(with_guard, torch.rand(3))


op_db = pytest.importorskip("torch.testing._internal.common_methods_invocations").op_db
OPERATORS = [op for op in op_db if op.name.removeprefix("nn.functional.") in known_losses()]


def _run(op: Any, sample: Any) -> list[torch.Tensor | None]:
    """All results of a sample and the gradients of all its leaves."""
    torch.manual_seed(0)
    result = op(sample.input, *sample.args, **sample.kwargs)
    results = [part for part in (result if isinstance(result, tuple) else (result,)) if isinstance(part, torch.Tensor)]
    given = [sample.input, *sample.args, *sample.kwargs.values()]
    leaves = [value for value in given if isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf]
    sums = [part.sum() for part in results if part.requires_grad]
    return [*results, *(torch.autograd.grad(sums, leaves, allow_unused=True) if sums and leaves else ())]


def _same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.dtype == other.dtype and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name + op.variant_test_name)
def test_operator_samples_are_the_same_to_the_last_bit(op: Any) -> None:
    dtype = torch.float32 if torch.float32 in op.dtypes else torch.int64
    watch, often = lossguard.guard(deep="always"), lossguard.guard()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in op.sample_inputs("cpu", dtype, requires_grad=dtype.is_floating_point):
            plain = _run(op, sample)
            with watch:
                guarded = _run(op, sample)
            # The third call of a kind goes the short way through the wrapper.
            with often:
                third = [_run(op, sample) for _ in range(3)][-1]
            assert len(plain) == len(guarded) == len(third)
            assert all(map(_same, plain, guarded))
            assert all(map(_same, plain, third))
    assert watch.session.troubles == often.session.troubles == []


def test_the_samples_cover_the_known_losses() -> None:
    assert len(OPERATORS) >= 35
