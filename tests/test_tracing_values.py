"""Values that are worked out again, and the places of names in what is unpacked."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import (  # type: ignore[import-untyped] # it ships no types
    FunctionTransformer,
    LabelEncoder,
    StandardScaler,
)

from lossguard.tracing.program.reaching import unpacked
from lossguard.tracing.symptoms.effects import dtype_named
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN, evaluate
from lossguard.tracing.values.layers import _signature


@dataclass(frozen=True)
class Names:
    """The names of a program that are known."""

    known: dict[str, Any]

    def value(self, name: str) -> Any:
        return ABSENT if "." in name or "[" in name else self.known.get(name, UNKNOWN)

    def called(self, _node: ast.Call, _function: Any) -> Any:
        return UNKNOWN


def worked_out(text: str, **known: Any) -> Any:
    """What an expression gives."""
    return evaluate(ast.parse(text, mode="eval").body, Names(known))


def test_a_scaler_is_run_on_a_copy() -> None:
    scaler, data = StandardScaler().fit([[5.0], [7.0]]), np.array([[1.0], [3.0]])
    assert worked_out("scaler.transform(data)", scaler=scaler, data=data).tolist() == [[-5.0], [-3.0]]
    assert worked_out("scaler.fit_transform(data)", scaler=scaler, data=data).tolist() == [[-1.0], [1.0]]
    assert scaler.mean_.tolist() == [6.0], "the program's own object was fitted again"
    assert worked_out("Scaler().fit(data).transform(data)", Scaler=StandardScaler, data=data).shape == (2, 1)
    assert worked_out("LabelEncoder().fit_transform(words)", LabelEncoder=LabelEncoder, words=["b", "a"]).tolist() == [
        1,
        0,
    ]


def test_a_transformer_that_runs_code_of_the_users_is_not_run() -> None:
    called: list[Any] = []
    own = FunctionTransformer(called.append)
    assert worked_out("own.fit_transform(data)", own=own, data=np.ones((2, 1))) is UNKNOWN
    assert not called


def test_what_a_method_takes_is_found_out_once_for_all_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    # Finding it out copies the list of all modules: for each turn of a loop, in a twin without a collector, that was
    # all of the memory that the twin may take.
    _signature.cache_clear()
    asked: list[Any] = []
    found = inspect.signature

    def counting(function: Any) -> inspect.Signature:
        asked.append(function)
        return found(function)

    monkeypatch.setattr(inspect, "signature", counting)
    tables = [{"a": 1}, {"b": 2}]
    assert worked_out("[table.get('a', 0) for table in tables for _ in range(100)]", tables=tables, range=range) == [
        *[1] * 100,
        *[0] * 100,
    ]
    assert asked.count(dict.get) == 1
    assert not any(getattr(function, "__self__", None) in tables for function in asked)


@pytest.mark.parametrize(
    ("target", "places"),
    [
        ("a, b, *c", {"a": (0,), "b": (1,)}),
        ("a, *b, c", {"a": (0,), "c": (-1,)}),
        ("*a, b, c", {"b": (-2,), "c": (-1,)}),
    ],
)
def test_names_before_a_star_count_from_the_front(target: str, places: dict[str, tuple[int, ...]]) -> None:
    written = ast.parse(f"{target} = value").body[0]
    assert isinstance(written, ast.Assign)
    assert {name: unpacked(written.targets[0], name) for name in places} == places


@pytest.mark.parametrize(("word", "dtype"), [("<i4", "int32"), ("=f8", "float64"), ("|u1", "uint8"), ("i2", "int16")])
def test_a_code_of_an_array_may_begin_with_a_byte_order(word: str, dtype: str) -> None:
    call = ast.parse(f"np.frombuffer(data, dtype={word!r})", mode="eval").body
    assert isinstance(call, ast.Call)
    assert dtype_named(call) == dtype
