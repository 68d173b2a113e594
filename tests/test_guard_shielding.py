"""What is replaced on a device: only what is bad. Sound values keep results and gradients, and launches are few."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch.utils.checkpoint import checkpoint

import lossguard
from elsewhere import DeviceAssert, Elsewhere, OnMetal, devices
from lossguard.guard.accelerator import late, shielding, slots
from lossguard.guard.calls.plans import Watched

UNIT = Watched("input", least=0, greatest=1, whole=False)


@pytest.fixture(autouse=True)
def fake_devices() -> Iterator[None]:
    with devices():
        yield


def _on(kind: type[Elsewhere], *values: float) -> Elsewhere:
    return kind(torch.tensor(values))


BAD = [
    ("LG206", (0.5, 1.5), (0.0, 1.0)),
    ("LG207", (0.5, float("nan")), (0.0, 1.0)),
    ("LG205", (0.5, 0.2), (0.0, 255.0)),
    ("LG203", (0.5, 0.2), (float("nan"), 1.0)),
]


@pytest.mark.parametrize(("code", "given", "target"), BAD, ids=[code for code, *_ in BAD])
def test_a_probability_that_is_none_is_told_later_and_the_device_lives(
    code: str, given: tuple[float, ...], target: tuple[float, ...]
) -> None:
    with pytest.raises(DeviceAssert):
        F.binary_cross_entropy(_on(Elsewhere, *given), _on(Elsewhere, *target))
    with lossguard.guard() as watch:
        F.binary_cross_entropy(_on(Elsewhere, *given), _on(Elsewhere, *target))  # happened here
        assert Elsewhere.waits == []
        with pytest.raises(RuntimeError, match="found late") as caught:
            F.binary_cross_entropy(_on(Elsewhere, 0.5), _on(Elsewhere, 1.0))
    assert isinstance(caught.value, lossguard.LossError)
    (finding,) = watch.report.findings
    assert (finding.code, finding.evidence["device"]) == (code, "cuda:0")
    assert finding.place is not None
    assert finding.place.code.endswith("# happened here")
    assert watch.session.troubles == []


def test_replaced_values_get_no_gradient_and_the_others_theirs() -> None:
    given = torch.tensor([0.3, 1.5, float("nan"), 0.9])
    target = torch.tensor([0.0, 1.0, 1.0, 1.0])
    x = given.clone().requires_grad_()
    flag = torch.zeros((), dtype=torch.bool)
    F.binary_cross_entropy(shielding.shielded(x, UNIT, flag), target).backward()
    assert bool(flag)
    assert x.grad is not None
    assert x.grad[1:3].tolist() == [0, 0]
    sound = given.nan_to_num(0.5).clamp(0, 1).requires_grad_()
    F.binary_cross_entropy(sound, target).backward()
    assert sound.grad is not None
    assert torch.equal(x.grad[[0, 3]], sound.grad[[0, 3]])


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "plain": lambda x: x,
    "transposed": lambda x: x.t().contiguous().t(),
    "strided": lambda x: torch.stack([x, x], -1)[..., 0],
    "expanded": lambda x: x[:, :1].expand(-1, 7),
    "image": lambda x: x.reshape(1, 3, 2, 7).to(memory_format=torch.channels_last),
    "scalar": lambda x: x[0, 0],
}


def _bits(tensor: torch.Tensor) -> list[int]:
    bits: list[int] = tensor.reshape(-1).contiguous().view(torch.uint8).tolist()
    return bits


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_sound_values_come_through_to_the_last_bit(dtype: torch.dtype, layout: str, reduction: str) -> None:
    """Forward, backward and, where torch has it, double backward, on the CPU, with the shield forced."""
    torch.manual_seed(0)
    base = torch.rand(6, 7)
    base[0, :4] = torch.tensor([0.0, 1.0, -0.0, 1e-40])
    target = LAYOUTS[layout](torch.rand(6, 7).to(dtype))

    def run(*, shield: bool) -> list[torch.Tensor]:
        leaf = base.to(dtype).requires_grad_()
        x, y = LAYOUTS[layout](leaf), target
        if shield:
            flag = torch.ones((), dtype=torch.bool)
            x, y = shielding.shielded(x, UNIT, flag), shielding.shielded(y, UNIT, flag)
            assert not flag
        loss = F.binary_cross_entropy(x, y, reduction=reduction).sum()
        (first,) = torch.autograd.grad(loss, leaf, create_graph=True)
        (second,) = torch.autograd.grad((first * first.detach()).sum(), leaf)
        return [loss.detach(), first.detach(), second]

    for plain, guarded in zip(run(shield=False), run(shield=True), strict=True):
        assert plain.dtype == guarded.dtype
        assert _bits(plain) == _bits(guarded)


def test_a_checkpoint_finds_what_it_saved() -> None:
    """Its second run may be unguarded: nothing that autograd saves may differ from a plain run."""
    runs: list[bool] = []

    def loss(x: torch.Tensor) -> torch.Tensor:
        runs.append(not runs)
        flag = torch.zeros((), dtype=torch.bool)
        probability = x.sigmoid()
        safe = shielding.shielded(probability, UNIT, flag) if runs[-1] else probability
        return F.binary_cross_entropy(safe, torch.ones_like(x))

    x = torch.randn(4, requires_grad=True)
    result: torch.Tensor = checkpoint(loss, x, use_reentrant=False)
    result.backward()
    assert runs == [True, False]


def test_a_plain_subclass_comes_through_as_itself() -> None:
    class Named(torch.Tensor):
        pass

    flag = torch.zeros((), dtype=torch.bool)
    for value in (torch.rand(3), torch.tensor([0, 1, 1])):
        assert type(shielding.shielded(value.as_subclass(Named), UNIT, flag)) is Named
    assert type(shielding.shielded(torch.nn.Parameter(torch.rand(3)), UNIT, flag)) is torch.Tensor


def test_a_subclass_with_ways_of_its_own_is_left_alone() -> None:
    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN206
            return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[no-untyped-call]

    assert not shielding.can_shield(torch.zeros(3, device="meta").as_subclass(Own))
    assert not shielding.can_shield(torch.zeros(3))


@pytest.mark.parametrize("kind", [Elsewhere, OnMetal])
def test_a_label_that_is_gone_is_still_told(kind: type[Elsewhere], monkeypatch: pytest.MonkeyPatch) -> None:
    """Too large to be kept: what is known is that it was bad."""
    monkeypatch.setattr(late, "KEPT_BYTES", 0)
    watch = lossguard.guard(deep="never")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lossguard.LossWarning)
        try:
            with watch:
                F.nll_loss(kind(torch.randn(4, 5)), kind(torch.tensor([0, 1, 9, 2])))
        except lossguard.LossError:
            assert kind is Elsewhere
    (finding,) = watch.report.findings
    assert finding.code == "LG506"
    assert "target holds values outside 0 to 4" in finding.message


METAL = [
    ("LG201", "target", lambda on: F.nll_loss(on(torch.randn(4, 5).log_softmax(1)), on(torch.tensor([0, 1, 9, 2])))),
    ("LG206", "input", lambda on: F.binary_cross_entropy(on(torch.tensor([0.5, 1.5])), on(torch.tensor([0.0, 1.0])))),
    ("LG205", "target", lambda on: F.binary_cross_entropy(on(torch.tensor([0.5, 0.5])), on(torch.tensor([0.0, 3.0])))),
]


@pytest.mark.parametrize(("code", "argument", "call"), METAL, ids=[code for code, *_ in METAL])
def test_where_kernels_look_at_nothing_we_do_and_change_nothing(
    code: str, argument: str, call: Callable[[Callable[[torch.Tensor], torch.Tensor]], torch.Tensor]
) -> None:
    """On Metal a bad value is no error of torch's: it is passed on as it is, and a warning tells of it later."""
    plain = call(OnMetal)
    with lossguard.guard(deep="never") as watch:
        guarded = call(OnMetal)
        assert OnMetal.waits == []
        with pytest.warns(lossguard.LossWarning, match=rf"{code}(.|\n)*found late(.|\n)*torch lets it pass on mps:0"):
            F.embedding(OnMetal(torch.tensor([0])), OnMetal(torch.ones(1, 1)))
    assert isinstance(plain, OnMetal)
    assert isinstance(guarded, OnMetal)
    assert torch.equal(plain.held, guarded.held)
    (finding,) = watch.report.findings
    assert (finding.code, finding.argument, str(finding.severity)) == (code, argument, "warning")
    assert watch.session.troubles == []


PADDED = torch.tensor([[1, 2, 3], [4, -1, -1]])
LENGTHS: dict[str, Callable[[], Any]] = {
    "numbers": lambda: (3, 1),
    "on the host": lambda: torch.tensor([3, 1]),
    "on the device": lambda: Elsewhere(torch.tensor([3, 1])),
}


def _ctc(targets: torch.Tensor, lengths: Any) -> torch.Tensor:
    """A call whose labels no kernel looks at: what becomes of it is not computed here."""
    log_probs = Elsewhere(torch.randn(9, 2, 5).log_softmax(2))
    return F.ctc_loss(log_probs, targets, (9, 9), lengths)  # type: ignore[arg-type]  # a tuple will do


@pytest.mark.parametrize("kind", LENGTHS)
@pytest.mark.parametrize("bad", [False, True], ids=["padded", "bad"])
def test_labels_beyond_their_length_are_no_fault_and_labels_within_are(
    kind: str, bad: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The fake device cannot be copied to, only be made.
    monkeypatch.setattr(shielding, "_moved", lambda tensor, _: Elsewhere(tensor))
    targets = PADDED.clone()
    if bad:
        targets[0, 2] = -7
    watched = Watched("targets", least=0, greatest=4, lengths="target_lengths")
    flag = Elsewhere(torch.zeros((), dtype=torch.bool))
    safe = shielding.shielded(Elsewhere(targets), watched, flag, LENGTHS[kind]())
    assert isinstance(safe, Elsewhere)
    assert safe.held.min() == 0
    assert bool(flag.held) == bad
    assert Elsewhere.waits == []


def test_bad_labels_on_the_host_are_refused_before_the_call() -> None:
    """The other arguments of ctc_loss are on the device, as cuDNN wants it."""
    targets = torch.tensor([1, 2, 3, -1], dtype=torch.int32)
    with lossguard.guard() as watch, pytest.raises(lossguard.LossError, match="LG211"):
        _ctc(targets, torch.tensor([3, 1]))
    assert watch.session.troubles == []
    assert Elsewhere.waits == []


CALLS: dict[str, tuple[int, Callable[[], object]]] = {
    # Two arguments of real numbers, and the number that came out.
    "binary_cross_entropy": (11, lambda: F.binary_cross_entropy(_on(Elsewhere, 0.5), _on(Elsewhere, 1.0))),
    "cross_entropy": (6, lambda: F.cross_entropy(Elsewhere(torch.ones(2, 3)), Elsewhere(torch.tensor([0, -100])))),
    "embedding": (3, lambda: F.embedding(Elsewhere(torch.tensor([0, 1])), Elsewhere(torch.ones(2, 3)))),
    "mse_loss": (1, lambda: F.mse_loss(_on(Elsewhere, 0.5), _on(Elsewhere, 1.0))),
}


@pytest.mark.parametrize("name", CALLS)
def test_few_kernels_are_launched(name: str) -> None:
    """Of ours, beside those of the call itself: clamp, compare, any, and where needed a choice."""
    ours, call = CALLS[name]
    call()
    plain = len(Elsewhere.launched)
    with lossguard.guard(deep="never") as watch:
        for _ in range(3):
            Elsewhere.launched.clear()
            call()
            assert len(Elsewhere.launched) - plain == ours
        # One word on its way at most: those before have been read, and their memory is used again.
        assert len(watch.session.pending) == 1
    assert watch.session.troubles == []


def test_memory_for_words_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr(slots, "_event", made.append)
    with lossguard.guard(deep="never"):
        for _ in range(10):
            F.cross_entropy(Elsewhere(torch.ones(2, 3)), Elsewhere(torch.tensor([0, 1])))
    assert len(made) == 1
