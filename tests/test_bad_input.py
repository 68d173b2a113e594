"""Bad input gives a finding or a clear error: never a crash, never a wrong "sound"."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import lossguard
from examples import Written, behaviour

Given = tuple[Any, Any, dict[str, Any]]
NAN = float("nan")


def _quantized() -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.quantize_per_tensor(torch.randn(3, 5), 0.1, 0, torch.qint8)


def _logits(*shape: int) -> torch.Tensor:
    return torch.randn(*shape or (3, 5), generator=torch.Generator().manual_seed(0))


LABELS = [0, 4, 2]
CASES: dict[str, Callable[[], Given]] = {
    "empty": lambda: (_logits(0, 5), torch.tensor([], dtype=torch.int64), {}),
    "empty, summed": lambda: (_logits(0, 5), torch.tensor([], dtype=torch.int64), {"reduction": "sum"}),
    "empty float target": lambda: (_logits(0, 5), torch.tensor([]), {}),
    "no classes": lambda: (_logits(3, 0), torch.tensor(LABELS), {}),
    "empty image": lambda: (_logits(2, 5, 0, 4), torch.zeros(2, 0, 4).long(), {}),
    "0-d target": lambda: (_logits(5), torch.tensor(3), {}),
    "0-d target for a batch": lambda: (_logits(), torch.tensor(3), {}),
    "0-d float target": lambda: (_logits(5), torch.tensor(3.0), {}),
    "0-d out of range": lambda: (_logits(5), torch.tensor(5), {}),
    "0-d both": lambda: (torch.tensor(1.0), torch.tensor(0), {}),
    "non-contiguous": lambda: (_logits(5, 3).t(), torch.arange(6)[::2], {}),
    "non-contiguous and wrong": lambda: (_logits(5, 3).t(), torch.arange(9)[::3], {}),
    "expanded": lambda: (_logits(1, 5).expand(3, 5), torch.tensor([4]).expand(3), {}),
    "expanded and wrong": lambda: (_logits(1, 5).expand(3, 5), torch.tensor([5]).expand(3), {}),
    "huge ignore index": lambda: (_logits(), torch.tensor([0, 2**62, 2]), {"ignore_index": 2**62}),
    "ignore index beyond int64": lambda: (_logits(), torch.tensor(LABELS), {"ignore_index": 2**63}),
    "smallest ignore index": lambda: (_logits(), torch.tensor([0, -(2**63), 2]), {"ignore_index": -(2**63)}),
    "float ignore index": lambda: (_logits(), torch.tensor(LABELS), {"ignore_index": 1.5}),
    "no ignore index": lambda: (_logits(), torch.tensor(LABELS), {"ignore_index": None}),
    "numpy ignore index": lambda: (_logits(), torch.tensor([0, 255, 2]), {"ignore_index": np.int64(255)}),
    "bool ignore index": lambda: (_logits(), torch.tensor(LABELS), {"ignore_index": True}),
    "negative ignore index in uint8": lambda: (_logits(), torch.tensor([0, -1, 2]).byte(), {"ignore_index": -1}),
    "ignore index of 255 in uint8": lambda: (_logits(), torch.tensor([0, 255, 2]).byte(), {"ignore_index": 255}),
    "complex input": lambda: (_logits().to(torch.complex64), torch.tensor(LABELS), {}),
    "complex target": lambda: (_logits(), torch.tensor(LABELS).to(torch.complex64), {}),
    "complex and empty": lambda: (_logits(2, 0, 3).to(torch.complex64), _logits(2, 0, 3), {}),
    "complex soft target": lambda: (_logits(), _logits().to(torch.complex64), {}),
    "sparse target": lambda: (_logits(), torch.tensor(LABELS).to_sparse(), {}),
    "sparse input": lambda: (_logits().to_sparse(), torch.tensor(LABELS), {}),
    "quantized input": lambda: (_quantized(), torch.tensor(LABELS), {}),
    "target that requires grad": lambda: (_logits(), torch.tensor([0.0, 4.0, 2.0], requires_grad=True), {}),
    "input that requires grad": lambda: (_logits().requires_grad_(), torch.tensor(LABELS), {}),
    "list": lambda: (_logits(), LABELS, {}),
    "tuple": lambda: (_logits(), tuple(LABELS), {}),
    "ragged list": lambda: (_logits(), [[0], [1, 2]], {}),
    "list of strings": lambda: (_logits(), ["cat", "dog", "cat"], {}),
    "list of tensors": lambda: (_logits(), [torch.tensor(0), torch.tensor(1)], {}),
    "None": lambda: (_logits(), None, {}),
    "a number": lambda: (_logits(), 3, {}),
    "a string": lambda: (_logits(), "3", {}),
    "an object": lambda: (_logits(), object(), {}),
    "array": lambda: (_logits(), np.array(LABELS), {}),
    "array of objects": lambda: (_logits(), np.array(["a", None], dtype=object), {}),
    "input None": lambda: (None, torch.tensor(LABELS), {}),
    "input of a tuple": lambda: ((_logits(), None), torch.tensor(LABELS), {}),
    "input of a dict": lambda: ({"logits": _logits()}, torch.tensor(LABELS), {}),
    "both swapped": lambda: (torch.tensor(LABELS), _logits(), {}),
    "target on meta": lambda: (_logits(), torch.tensor(LABELS, device="meta"), {}),
    "input on meta": lambda: (_logits().to("meta"), torch.tensor(LABELS), {}),
    "weight on meta": lambda: (_logits(), torch.tensor(LABELS), {"weight": torch.ones(5, device="meta")}),
    "weight in a list": lambda: (_logits(), torch.tensor(LABELS), {"weight": [1.0] * 5}),
    "weight of NaN": lambda: (_logits(), torch.tensor(LABELS), {"weight": torch.full((5,), NAN)}),
    "empty weight": lambda: (_logits(), torch.tensor(LABELS), {"weight": torch.ones(0)}),
    "no such reduction": lambda: (_logits(), torch.tensor(LABELS), {"reduction": "avg"}),
    "reduction None": lambda: (_logits(), torch.tensor(LABELS), {"reduction": None}),
    "all ignored": lambda: (_logits(), torch.tensor([-100, -100, -100]), {}),
    "NaN input": lambda: (_logits().fill_(NAN), torch.tensor(LABELS), {}),
    "NaN in an ignored row": lambda: (
        torch.tensor([[1.0, 2.0], [NAN, 0.0]]),
        torch.tensor([0, -100]),
        {},
    ),
    "float8 target": lambda: (_logits(), torch.tensor([0.0, 4.0, 2.0]).to(torch.float8_e4m3fn), {}),
    "uint64 target": lambda: (_logits(), torch.tensor([0, 2**64 - 1, 2], dtype=torch.uint64), {}),
    "parameter": lambda: (torch.nn.Parameter(_logits()), torch.tensor(LABELS), {}),
    "smoothing of a string": lambda: (_logits(), torch.tensor(LABELS), {"label_smoothing": "0.1"}),
}


@pytest.mark.parametrize("loss", ["cross_entropy", "nll_loss"])
@pytest.mark.parametrize("case", CASES)
def test_broken_exactly_when_torch_fails(case: str, loss: str) -> None:
    given, target, settings = CASES[case]()
    if loss == "nll_loss" and "label_smoothing" in settings:
        return
    call = Written(getattr(torch.nn.functional, loss), (given, target), settings)
    report = lossguard.check(call.loss, *call.args, **call.kwargs)
    said = behaviour(call)
    assert (report.verdict == "broken") == (said.startswith("raises") or said == "nan"), f"torch: {said}\n{report}"
    if said.startswith("raises"):
        assert [finding.code for finding in report] != ["LG506"], report
    assert str(report)
    assert report.to_json()


@pytest.mark.parametrize("case", CASES)
def test_fix_returns_what_torch_takes_or_refuses(case: str) -> None:
    given, target, settings = CASES[case]()
    try:
        fixed = lossguard.fix("cross_entropy", given, target, **settings)
    except lossguard.CannotFix:
        return
    said = behaviour(Written(torch.nn.functional.cross_entropy, (given, fixed), settings))
    assert not said.startswith("raises"), (fixed, said)


def test_fake_tensors_are_judged_by_their_metadata() -> None:
    with FakeTensorMode():
        logits = torch.randn(3, 5)
        assert lossguard.check("cross_entropy", logits, torch.zeros(3).long()).verdict == "sound"
        report = lossguard.check("cross_entropy", logits, torch.zeros(3))
    assert [finding.code for finding in report] == ["LG101"]
    assert "smallest" not in report.findings[0].evidence


def test_meta_tensors_are_judged_by_their_metadata() -> None:
    logits = torch.randn(3, 5, device="meta")
    assert lossguard.check("cross_entropy", logits, torch.zeros(3, device="meta").long()).verdict == "sound"
    report = lossguard.check("cross_entropy", logits, torch.zeros(4, device="meta").int())
    assert {finding.code for finding in report} == {"LG102", "LG403"}


def test_a_check_inside_vmap_sees_metadata() -> None:
    verdicts: list[str] = []

    def loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        verdicts.append(str(lossguard.check("cross_entropy", logits, target).verdict))
        verdicts.append(str(lossguard.check("cross_entropy", logits, target.float()).verdict))
        return torch.nn.functional.cross_entropy(logits, target)

    torch.vmap(loss)(torch.randn(2, 3, 5), torch.zeros(2, 3).long())
    assert verdicts == ["sound", "broken"]


def test_a_check_inside_grad_works() -> None:
    verdicts: list[str] = []

    def loss(logits: torch.Tensor) -> torch.Tensor:
        target = torch.tensor([0, 1, 2])
        verdicts.append(str(lossguard.check("cross_entropy", logits, target).verdict))
        return torch.nn.functional.cross_entropy(logits, target)

    torch.func.grad(loss)(torch.randn(3, 5))
    assert verdicts == ["sound"]


@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad])
def test_modes_of_torch_make_no_difference(mode: Any) -> None:
    with mode():
        assert lossguard.check("cross_entropy", torch.randn(3, 5), torch.tensor([0, 1, 9])).verdict == "broken"
        assert lossguard.fix("cross_entropy", torch.randn(3, 5), torch.tensor([0.0, 1.0, 2.0])).tolist() == [0, 1, 2]


class _Wrapped(torch.Tensor):
    """A subclass of Tensor, as libraries make them."""


def test_a_subclass_of_tensor_is_a_tensor() -> None:
    target = torch.tensor([0, 1, 9]).as_subclass(_Wrapped)
    assert [f.code for f in lossguard.check("cross_entropy", torch.randn(3, 5), target)] == ["LG201"]


def _holding_itself(*more: Any) -> list[Any]:
    target: list[Any] = [*more]
    target.append(target)
    return target


def _shared(levels: int) -> list[Any]:
    """A list of two lists that are one, and so on: short to write, and far too long to walk."""
    target: list[Any] = [1]
    for _ in range(levels):
        target = [target, target]
    return target


def _deep(levels: int) -> list[Any]:
    target: list[Any] = [1]
    for _ in range(levels):
        target = [target]
    return target


class _Silent(torch.Tensor):
    """A tensor that answers no question about itself."""

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        """Nothing that is told."""
        raise LookupError("no dtype here")


class _Endless(list[Any]):
    """A list that does not say how long it is."""

    def __len__(self) -> int:
        raise OSError("no length here")


ODD: dict[str, Callable[[], tuple[Any, ...]]] = {
    "nested": lambda: ("mse_loss", torch.nested.nested_tensor([_logits(), _logits(2, 5)]), _logits()),
    "nested target": lambda: ("cross_entropy", _logits(), torch.nested.nested_tensor([torch.tensor(LABELS)])),
    "jagged": lambda: (
        "cross_entropy",
        torch.nested.nested_tensor([_logits(), _logits(2, 5)], layout=torch.jagged),
        torch.tensor(LABELS),
    ),
    "a huge number": lambda: ("cross_entropy", _logits(), [10**400, 1, 2]),
    "a huge negative number": lambda: ("cross_entropy", _logits(), [-(10**400), 1, 2]),
    "too many digits": lambda: ("cross_entropy", _logits(), [10**5000]),
    "one huge number": lambda: ("cross_entropy", _logits(), 10**5000),
    "a list in itself": lambda: ("cross_entropy", _logits(), _holding_itself()),
    "a list in itself and more": lambda: ("cross_entropy", _logits(), _holding_itself(1, [2])),
    "a list too long to walk": lambda: ("cross_entropy", _logits(), _shared(60)),
    "a list too deep": lambda: ("cross_entropy", _logits(), _deep(5000)),
    "a list without a length": lambda: ("cross_entropy", _logits(), _Endless([1, 2, 3])),
    "silent": lambda: ("cross_entropy", _logits().as_subclass(_Silent), torch.tensor(LABELS)),
    "a word for an axis": lambda: ("gather", _logits(), "abc", torch.zeros(3, 1, dtype=torch.int64)),
    "no axis": lambda: ("gather", _logits(), None, torch.zeros(3, 1, dtype=torch.int64)),
    "half an axis": lambda: ("scatter_add", _logits(), 0.5, torch.zeros(3, 1, dtype=torch.int64), _logits()),
}


@pytest.mark.filterwarnings("ignore:.*nested tensors:UserWarning")
@pytest.mark.parametrize("name", ODD)
def test_odd_data_gives_a_report(name: str) -> None:
    report = lossguard.check(*ODD[name]())
    assert str(report)
    assert report.to_json()
    if name != "silent":
        assert report.verdict == "broken"


@pytest.mark.parametrize("words", [[3], 3, [None], {"LG303": 1, 2: 3}])
def test_what_names_no_rule_is_told_so(words: Any) -> None:
    with pytest.raises(LookupError, match="rules"):
        lossguard.guard(allow=words)
