"""The code that an audit proposes works as it is pasted, and the fault is gone then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

pa = pytest.importorskip("pyarrow")
polars = pytest.importorskip("polars")
datasets = pytest.importorskip("datasets")
safetensors = pytest.importorskip("safetensors.torch")

import lossguard  # noqa: E402 - after the look whether it is there

#: Labels, and what each fix must give; None for a fix in words.
FAULTS: dict[str, tuple[list[Any], list[list[int] | None]]] = {
    "floats": ([0.0, 1.0, 2.0], [[0, 1, 2]]),
    "missing": ([0.0, None, 2.0], [[0, 2]]),
    "from one": ([1, 2, 3] * 4, [[0, 1, 2] * 4, None]),
    "words": (["dog", "cat", "dog"], [[1, 0, 1]]),
}


def _written(kind: str, values: list[Any]) -> Any:
    """The labels as a source of this kind; None where it cannot hold them."""
    frame = pd.DataFrame({"x": range(len(values)), "label": values})
    if kind in {"a.csv", "a.tsv"}:
        frame.to_csv(kind, index=False, sep="," if kind == "a.csv" else "\t")
    elif kind == "a.parquet":
        frame.to_parquet(kind)
    elif kind == "a.feather":
        frame.to_feather(kind)
    elif kind == "a.jsonl":
        frame.to_json(kind, lines=True, orient="records")
    elif kind == "frame":
        return frame
    elif kind == "series":
        return frame["label"]
    elif kind == "polars":
        return polars.DataFrame({"label": values})
    elif kind == "dataset":
        return datasets.Dataset.from_dict({"label": values})
    else:
        return _of_numbers(kind, values)
    return kind


def _of_numbers(kind: str, values: list[Any]) -> Any:
    if isinstance(values[0], str):
        return None
    array = np.array(values, np.float64 if None in values else None)
    if kind == "a.npy":
        np.save(kind, array)
    elif kind == "a.npz":
        np.savez(kind, x=array, label=array)
    elif kind == "a.pt":
        torch.save({"label": torch.from_numpy(array)}, kind)
    elif kind == "a.safetensors":
        safetensors.save_file({"label": torch.from_numpy(array)}, kind)
    else:
        return array if kind == "array" else torch.from_numpy(array)
    return kind


FILES = ["a.csv", "a.tsv", "a.parquet", "a.feather", "a.jsonl", "a.npy", "a.npz", "a.pt", "a.safetensors"]


@pytest.mark.parametrize("kind", [*FILES, "frame", "series", "polars", "dataset", "array", "tensor"])
def test_what_is_proposed_runs_and_mends(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for values, expected in FAULTS.values():
        source = _written(kind, values)
        if source is None:
            continue
        named = None if kind in {"a.npy", "series", "array", "tensor"} else "label"
        report = lossguard.audit(source, named, classes=3)
        fixes = [fix for finding in report for fix in finding.fixes]
        for fix, labels in zip(fixes, expected, strict=False):
            if labels is None or not fix.code:
                assert not fix.code
                continue
            given = {"frame": source, "target": source, "dataset": source, "polars": polars, "datasets": datasets}
            found = eval(fix.code, {**given, "numpy": np, "pandas": pd, "torch": torch, "safetensors": _Whole})
            column = found["label"] if hasattr(found, "columns") or hasattr(found, "features") else found
            assert np.asarray(column).tolist() == labels, fix.code
            assert fix.tag in {"safe", "decision", "unchecked"}
            ran += 1
    assert ran >= (2 if kind == "polars" else 1 if kind in {"a.csv", "a.tsv", "a.jsonl"} else 2)


class _Whole:
    """`import safetensors.torch` gives this name."""

    torch = safetensors


def test_no_last_layer_is_blamed_where_no_model_was_given() -> None:
    words = str(lossguard.audit([0, 1, 2, 3] * 9, classes=3))
    assert "labels run from 0 to 3: there is one class more than 3" in words
    assert "make it 4 classes: --classes 4, and a last layer with 4 outputs    decision: if that is meant" in words
    model = torch.nn.Linear(2, 3)
    assert "the last layer is one class short" in str(lossguard.audit([0, 1, 2, 3] * 9, model=model))
    assert "outputs" not in str(lossguard.audit([0, 2**62], classes=3))


def test_nothing_is_proposed_for_an_input_that_nobody_has_seen() -> None:
    report = lossguard.audit(np.array([0.0, 0.5, 1.5], np.float32), loss="binary_cross_entropy")
    assert not any("input" in fix.code for finding in report for fix in finding.fixes)


def test_the_words_say_which_column_was_chosen_and_how_rows_count(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n1,cat\n2,\n3,dog\n", encoding="utf-8")
    words = str(lossguard.audit(tmp_path / "a.csv"))
    assert "'label' holds the labels, chosen by its name; --target chooses another" in words
    assert "2 classes (by the different words)" in words
    assert "rows       counted from 0: row 0 is the first line after the header" in words
    assert "row 1 = missing" in words


def test_a_mask_of_bytes_with_a_mark_is_told_of_the_ignore_index_too() -> None:
    report = lossguard.audit(np.array([[[0, 1], [2, 255]]], np.uint8), classes=3)
    assert [fix.code for finding in report for fix in finding.fixes] == ['target.astype("int64")', "ignore_index=255"]
