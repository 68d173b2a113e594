"""The kernel counts what a plain look at every value counts, whatever brought the values, and parts add up."""

from __future__ import annotations

import io
import json
import math
import pickle
import sqlite3
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
datasets = pytest.importorskip("datasets")
image = pytest.importorskip("PIL.Image")
pytest.importorskip("adbc_driver_sqlite")
save_file = pytest.importorskip("safetensors.torch").save_file
import pyarrow.feather  # noqa: E402 - after the look whether it is there
import pyarrow.parquet as pq  # noqa: E402 - as above

import lossguard  # noqa: E402 - as above
from lossguard.audit import kernel  # noqa: E402 - as above
from lossguard.audit.column import KINDS, NO_COLUMN, Column, offenders_of, total  # noqa: E402 - as above
from lossguard.audit.feeding import scan  # noqa: E402 - as above
from lossguard.audit.reading import read_source  # noqa: E402 - as above
from lossguard.audit.sources.opening import open_source  # noqa: E402 - as above
from lossguard.audit.tensors import facts_of_all  # noqa: E402 - as above
from lossguard.contracts.contract import Bounds  # noqa: E402 - as above
from lossguard.facts import from_tensor  # noqa: E402 - as above

BOUNDS = Bounds(0, 5, -100)
COUNTED = ["count", "smallest", "largest", "nan", "positive_infinity", "negative_infinity", "fractional", "inexact"]
RELATIVE = ["ignored", "below", "above", "below_values", "above_values"]
whole = st.integers(-3, 8) | st.sampled_from([-100, 255, 2**40, -(2**63), 2**63 - 1])
reals = st.integers(-3, 8).map(float) | st.sampled_from([math.nan, math.inf, -math.inf, 0.5, 2.0**53, -100.0, 1e300])


@pytest.fixture
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "BLOCK", 4)


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("dtype", ["int64", "float64", "float32", "int8", "float16"])
@settings(max_examples=60)
@given(data=st.data())
def test_the_kernel_agrees_with_facts_of_a_tensor(data: st.DataObject, dtype: str) -> None:
    values: Any = st.integers(-100, 100) if dtype == "int8" else whole if dtype == "int64" else reals
    with np.errstate(over="ignore"):
        array = np.array(data.draw(st.lists(values, max_size=20)), dtype)
    found = scan([array[:7], array[7:]], BOUNDS)
    expected = from_tensor.observe(torch.from_numpy(array), BOUNDS)
    for name in COUNTED + RELATIVE:
        assert getattr(found.facts, name) == getattr(expected, name), name
    mine = [(str(o.value), o.position) for o in offenders_of(found.firsts)]
    assert mine == [(str(o.value), o.position) for o in expected.offenders or ()]


@given(st.lists(st.lists(st.none() | whole, max_size=9), max_size=4), st.integers(0, 3))
@settings(max_examples=60)
def test_columns_add_up_in_any_grouping(parts: list[list[int | None]], cut: int) -> None:
    columns = [scan([pa.array(part, pa.int64())], BOUNDS) for part in parts]
    grouped = total([total(columns[:cut]), total(columns[cut:])])
    at_once = scan([pa.array([value for part in parts for value in part], pa.int64())], BOUNDS)
    for one in (total(columns), grouped):
        assert _plain(one) == _plain(total(columns))
        if parts:
            assert _plain(one)[1:] == _plain(at_once)[1:]
    assert NO_COLUMN + at_once == at_once == at_once + NO_COLUMN
    assert str(pickle.loads(pickle.dumps(at_once))) == str(at_once)  # noqa: S301 - our own bytes


def _plain(column: Column) -> tuple[Any, ...]:
    facts = column.facts
    firsts = {kind: [(str(o.value), o.position) for o in column.firsts.get(kind, ())] for kind in KINDS}
    numbers = [getattr(facts, name) for name in [*COUNTED, *RELATIVE, "null", "class_counts"]]
    return facts.parts, *numbers, firsts, column.samples, column.words


class Items(torch.utils.data.Dataset[tuple[int, Any]]):
    """A dataset of given labels."""

    def __init__(self, labels: Any) -> None:
        self.labels = labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[int, Any]:
        return index, self.labels[index]


def _sources(values: list[Any], folder: Path) -> Iterator[tuple[str, Any]]:
    """The same labels through every kind of source that can hold them."""
    table = pa.table({"x": range(len(values)), "label": pa.array(values, pa.float64(), from_pandas=False)})
    pq.write_table(table, folder / "a.parquet", row_group_size=3)
    yield "parquet", folder / "a.parquet"
    pyarrow.feather.write_feather(table, folder / "a.feather")
    yield "feather", folder / "a.feather"
    if not values:
        return
    lines = [json.dumps({"x": n, "label": value}) for n, value in enumerate(values)]
    (folder / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    yield "json lines", folder / "a.jsonl"
    yield "shards", _shard(folder / "a.tar", values)
    yield "arrow", table
    features = datasets.Features({"label": datasets.Value("float64")})
    yield "huggingface", datasets.Dataset.from_dict({"label": values}, features=features)
    if not any(value is not None and math.isnan(value) for value in values):
        # Text and SQLite have no NaN of their own.
        spelled = "".join(f"0,{'' if value is None else value}\n" for value in values)
        (folder / "a.csv").write_text("x,label\n" + spelled, encoding="utf-8")
        yield "csv", folder / "a.csv"
        yield "database", _database(folder / "a.db", values)
    yield "polars", pl.DataFrame({"label": pl.Series(values, dtype=pl.Float64, nan_to_null=False)})
    if None in values:
        return
    array = np.array(values, np.float64)
    np.save(folder / "a.npy", array)
    yield "npy", folder / "a.npy"
    np.savez_compressed(folder / "a.npz", label=array, x=array)
    yield "npz", folder / "a.npz"
    yield "list", array.tolist()
    torch.save({"label": torch.from_numpy(array)}, folder / "a.pt")
    yield "pt", folder / "a.pt"
    if len(values):
        save_file({"label": torch.from_numpy(array)}, folder / "a.safetensors")
        yield "safetensors", folder / "a.safetensors"
        yield "dataset", Items([float(value) for value in values])
        yield "tensors", Items(torch.from_numpy(array))
        yield "loader", torch.utils.data.DataLoader(Items(torch.from_numpy(array)), batch_size=3)
    yield "pandas", pd.DataFrame({"label": array})


def _shard(path: Path, values: list[Any]) -> Path:
    with tarfile.open(path, "w") as archive:
        for number, value in enumerate(values):
            data = json.dumps({"label": value}).encode()
            entry = tarfile.TarInfo(f"{number:03}.json")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def _database(path: Path, values: list[Any]) -> str:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE samples (label REAL)")
        connection.executemany("INSERT INTO samples VALUES (?)", [(value,) for value in values])
    connection.close()
    return f"sqlite://{path}"


#: What is asked for in sources that have no column called label.
ASKED = {"shards": "json.label", "database": "samples.label", **dict.fromkeys(["dataset", "tensors", "loader", "npy"])}


@settings(max_examples=12)
@given(st.lists(st.none() | reals, max_size=12) | st.lists(reals, min_size=1, max_size=12))
def test_every_source_gives_the_counts_of_plain_numpy(
    tmp_path_factory: pytest.TempPathFactory, values: list[float | None]
) -> None:
    present = np.array([value for value in values if value is not None], np.float64)
    finite = present[np.isfinite(present)]
    integral = finite[np.floor(finite) == finite]
    kept = integral[integral != -100]
    expected = {
        "count": len(values),
        "null": values.count(None),
        "nan": int(np.isnan(present).sum()),
        "positive_infinity": int((present == np.inf).sum()),
        "negative_infinity": int((present == -np.inf).sum()),
        "fractional": len(finite) - len(integral),
        "ignored": int((integral == -100).sum()),
        "below": int((kept < 0).sum()),
        "above": int((kept >= 5).sum()),
        "smallest": finite.min() if len(finite) else math.inf,
        "largest": finite.max() if len(finite) else -math.inf,
    }
    counts = {int(value): int(n) for value, n in zip(*np.unique(integral, return_counts=True), strict=True)}
    for kind, source in _sources(values, tmp_path_factory.mktemp("audit")):
        opened = open_source(source, ASKED.get(kind, "label"))
        found = opened.settle(read_source(opened, BOUNDS).whole).facts
        if found.parts == 0 or found.kind != "tensor":
            assert not len(present), kind
            continue
        for name, value in expected.items():
            assert getattr(found, name) == value, (kind, name)
        assert found.class_counts == counts, kind


@settings(max_examples=20)
@given(st.lists(st.sampled_from([0, 1, 2, 3, 4, 8, 255]), min_size=1, max_size=12))
def test_images_give_the_counts_of_plain_numpy(tmp_path_factory: pytest.TempPathFactory, values: list[int]) -> None:
    root = tmp_path_factory.mktemp("audit")
    (root / "masks").mkdir()
    kinds = {"a.png": np.uint8, "b.tif": np.uint8, "c.png": np.uint16, "d.tiff": np.int32, "e.tif": np.float32}
    for name, kind in kinds.items():
        image.fromarray(np.array([values], kind)).save(root / "masks" / name)
        folder = root / "tree" / name.replace(".", "_")
        folder.mkdir(parents=True)
        for number in range(len(values)):
            (folder / f"{number}.png").touch()
    masks = read_source(open_source(root / "masks", None), BOUNDS).whole
    seen, times = np.unique(values, return_counts=True)
    assert masks.facts.class_counts == dict(zip(seen.tolist(), (len(kinds) * times).tolist(), strict=True))
    assert masks.facts.above == len(kinds) * int((np.array(values) >= 5).sum())
    set_ones = np.array([values]) > 0
    image.fromarray(set_ones).save(root / "one_bit.png")
    bits = read_source(open_source(root / "one_bit.png", None), BOUNDS).whole
    assert bits.facts.class_counts == {
        int(bit): int(n) for bit, n in zip(*np.unique(set_ones, return_counts=True), strict=True)
    }
    tree = read_source(open_source(root / "tree", None), BOUNDS).whole
    assert tree.facts.class_counts == dict.fromkeys(range(len(kinds)), len(values))


@settings(max_examples=30)
@given(st.lists(st.none() | st.integers(-3, 8) | st.sampled_from([0.5, 1.0]), min_size=1, max_size=12))
def test_csv_is_read_as_pandas_reads_it(tmp_path_factory: pytest.TempPathFactory, values: list[Any]) -> None:
    path = tmp_path_factory.mktemp("audit") / "a.csv"
    path.write_text("x,label\n" + "".join(f"0,{'' if v is None else v}\n" for v in values), encoding="utf-8")
    opened = open_source(path, "label")
    found = opened.settle(read_source(opened, BOUNDS).whole).facts
    frame = pd.read_csv(path)
    assert found.null == values.count(None) == int(frame["label"].isna().sum())
    if found.null != len(values):
        assert found.dtype == str(frame["label"].dtype)


def test_a_column_of_too_many_words_is_counted_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MOST_WORDS", 3)
    column = scan([pa.array(["a", "b", "c", "d", None])], BOUNDS)
    assert (column.words, column.wordy, column.facts.null) == (None, 4, 1)


@settings(max_examples=40)
@given(st.lists(reals, max_size=20), st.sampled_from([torch.float64, torch.float32, torch.bfloat16, torch.float16]))
def test_all_labels_of_a_tensor_by_the_kernel_are_its_facts(values: list[float], dtype: torch.dtype) -> None:
    tensor = torch.tensor(values, dtype=torch.float64).to(dtype).reshape(-1, 1)
    found, expected = facts_of_all(tensor, BOUNDS), from_tensor.observe(tensor, BOUNDS)
    for name in COUNTED + RELATIVE:
        assert getattr(found, name) == getattr(expected, name), name


def test_the_guard_checks_a_fix_on_all_labels_with_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    add = kernel.Scanner.add

    def counting(self: Any, array: Any, *others: Any, **more: Any) -> None:
        read.append(array.size)
        add(self, array, *others, **more)

    monkeypatch.setattr(kernel.Scanner, "add", counting)
    said = {}
    for last in (4.0, 2.5):
        labels = (torch.arange(200) % 5).float()
        labels[-1] = last
        loader: Any = torch.utils.data.DataLoader(
            torch.utils.data.TensorDataset(torch.randn(200, 5), labels), batch_size=8
        )
        batches = iter(loader)
        with lossguard.guard(), pytest.raises(RuntimeError) as failed:
            torch.nn.functional.cross_entropy(*next(batches))
        said[last] = "\n".join(failed.value.__notes__)
    assert 200 in read
    assert "the loss takes all 200 labels of the dataset" in said[4.0]
    assert "safe for this batch only: 1 label of the dataset is not whole" in said[2.5]
