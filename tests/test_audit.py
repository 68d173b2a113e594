"""The audit says of every label whether the loss takes it, and where it does not."""

from __future__ import annotations

import io
import json
import tarfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402 - after the look whether it is there

import lossguard  # noqa: E402 - as above
from lossguard.audit.report import AuditReport  # noqa: E402 - as above


def codes(report: lossguard.Report) -> list[str]:
    return [finding.code for finding in report]


COLUMNS: list[tuple[Any, dict[str, Any], list[str]]] = [
    (pa.array([0, 1, 2]), {}, []),
    (pa.array([0, 1, 3]), {}, ["LG201"]),
    (pa.array([0, 1, -1]), {}, ["LG202"]),
    (pa.array([0, 1, -1]), {"ignore_index": -1}, []),
    (pa.array([0, None, 2]), {}, ["LG203"]),
    (pa.array([0.0, 1.0, 2.0]), {}, ["LG101"]),
    (pa.array([0.0, 1.5, 2.0]), {}, ["LG204"]),
    (pa.array([0, 1], pa.int32()), {}, ["LG102"]),
    (pa.array([0, 1], pa.uint8()), {}, []),
    (pa.array([True, False]), {}, ["LG103"]),
    (pa.array([0, 2**63 + 5], pa.uint64()), {}, ["LG102", "LG201"]),
    (pa.array([-(2**63), 1]), {}, ["LG213"]),
    (pa.array([1, 2, 3] * 5), {}, ["LG201"]),
    (pa.array(["0", "1", "2"]), {}, ["LG502"]),
    (pa.array(["cat", "dog"]), {}, ["LG502"]),
    (pa.array(["cat", None]).dictionary_encode(), {}, ["LG502", "LG203"]),
    (pa.array([2, 1, 2]).dictionary_encode(), {}, []),
    (pa.array([Decimal("1.00"), Decimal("2.00")]), {}, ["LG502"]),
    (pa.array([0, 1], pa.timestamp("s")), {}, ["LG502"]),
    (pa.array([b"a"]), {}, ["LG502"]),
    (pa.array([{"a": 1}]), {}, ["LG502"]),
    (pa.array([None, None]), {}, ["LG502", "LG203"]),
    (pa.array([[0, 1], [2, -100, 1]]), {}, []),
    (pa.array([[0, 1], [2, 9, 1]]), {}, ["LG201"]),
    (pa.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]]), {}, []),
    (pa.array([[0.2, 0.3, 0.1], [0.0, 1.0, 0.0]]), {}, ["LG304"]),
    (np.eye(3), {"loss": "nll_loss"}, ["LG402"]),
    (pa.array([0.0, 0.5, 1.0], pa.float32()), {"loss": "binary_cross_entropy"}, []),
    (pa.array([0.0, 0.5, 1.5], pa.float32()), {"loss": "binary_cross_entropy"}, ["LG205"]),
    (pa.array([1.5, -3.0]), {"loss": "mse_loss"}, []),
    (pa.array([1.5, float("nan")]), {"loss": "mse_loss"}, ["LG203"]),
    (np.zeros((2, 4, 4), np.uint8), {}, ["LG109"]),
    (np.zeros((0,), np.int64), {}, ["LG208"]),
    (np.full(4, -100), {}, ["LG208"]),
    (np.array([1, 2**40], object), {}, ["LG201"]),
    (torch.tensor([0.0, 256.0], dtype=torch.bfloat16), {"classes": 1000}, ["LG209"]),
]


@pytest.mark.parametrize(
    ("values", "settings", "expected"), COLUMNS, ids=lambda value: str(value)[:40].replace("\n", "")
)
def test_every_type_has_a_clear_answer(values: Any, settings: dict[str, Any], expected: list[str]) -> None:
    report = lossguard.audit(values, **{"classes": 3, **settings})
    assert sorted(codes(report)) == sorted(expected), str(report)
    assert json.loads(report.to_json())["audit"]["splits"]


def test_findings_name_their_own_rows() -> None:
    labels = pa.array([0.0, None, float("nan"), 0.5, 7.0, *[float("nan")] * 20, -1.0])
    report = lossguard.audit(labels, classes=3)
    rows = {finding.code: [(s.index, str(s.value)) for s in finding.samples] for finding in report}
    assert rows["LG203"][:2] == [(1, "None"), (2, "nan")]
    assert rows["LG204"] == [(3, "0.5")]
    assert rows["LG201"] == [(4, "7.0")]
    assert rows["LG202"] == [(25, "-1.0")]


def test_a_cast_is_safe_only_if_every_label_of_the_column_says_so() -> None:
    sound = lossguard.audit(np.arange(5.0).repeat(1000), classes=5)
    (fix,) = sound.findings[0].fixes
    assert (fix.tag, fix.scope, fix.checked) == ("safe", "dataset", "all 5,000 labels were read")
    for wrong in (0.5, 9.0, np.nan):
        spoiled = lossguard.audit(np.append(np.arange(5.0).repeat(1000), wrong), classes=5)
        assert not any(fix.tag == "safe" for finding in spoiled for fix in finding.fixes)
    missing = lossguard.audit(pa.array([0, None], pa.int8()), classes=5)
    assert not any(fix.tag == "safe" for finding in missing for fix in finding.fixes)


def test_without_classes_the_largest_label_tells_and_negative_ones_are_found() -> None:
    report = lossguard.audit([0, 4, 9])
    assert (report.verdict, report.classes) == ("sound", 10)
    assert "10 classes (by the largest label)" in str(report)
    assert codes(lossguard.audit([0, 4, -7])) == ["LG201"]


def test_footers_answer_when_they_can_and_only_then(tmp_path: Path) -> None:
    def written(**columns: Any) -> AuditReport:
        pq.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=2)
        return lossguard.audit(tmp_path / "a.parquet", "label", classes=3)

    sound = written(label=[0, 1, 2, 1])
    assert sound.splits[0].from_footers
    assert "the footers of 2 row groups" in str(sound)
    assert not lossguard.audit(tmp_path / "a.parquet", "label", classes=3, full=True).splits[0].from_footers
    assert lossguard.audit(tmp_path / "a.parquet", "label", classes=3, full=True).verdict == sound.verdict == "sound"
    for labels in ([0, 5], [0, None], [0.0, float("nan")], [0.0, 1.0], ["0", "1"], [-100, -100], [-100, 2]):
        assert not written(label=labels).splits[0].from_footers, labels
    assert codes(written(label=pa.array([0, 1], pa.int32()))) == ["LG102"]
    assert not lossguard.audit(tmp_path / "a.parquet", "label").splits[0].from_footers


def test_folders_globs_and_partitions(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 2, 3, 4], "label": [0, 1, 2, 2]})
    pq.write_to_dataset(table, tmp_path / "parts", partition_cols=["label"])
    report = lossguard.audit(tmp_path / "parts", "label", classes=2)
    assert report.splits[0].counts() == {0: 1, 1: 1, 2: 2}
    assert codes(report) == ["LG201"]
    for name in ("a", "b"):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    bad = lossguard.audit(str(tmp_path / "?.parquet"), "label", classes=2)
    assert [sample.key.rpartition("/")[2] for sample in bad.findings[0].samples] == [
        *("a.parquet", "a.parquet", "b.parquet", "b.parquet")
    ]
    assert [sample.key.partition(" of ")[0] for sample in bad.findings[0].samples] == ["row 2", "row 3"] * 2
    pq.write_table(pa.table({"label": [0.5]}), tmp_path / "c.parquet")
    mixed = lossguard.audit(str(tmp_path / "?.parquet"), "label", classes=3)
    assert codes(mixed) == ["LG204"]
    assert mixed.findings[0].samples[0].key.endswith("c.parquet")


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "csv.bz2", "csv.zst"])
def test_text_tables_compressed_too(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"labels.{ending}"
    comma = "\t" if ending == "tsv" else ","
    text = f"name{comma}label\n" + "".join(f'"a, b"{comma}{label}\n' for label in ["0", "1", "NA", "2"])
    with pa.output_stream(str(path), compression="detect") as stream:
        stream.write(text.encode())
    report = lossguard.audit(path, classes=3)
    assert (codes(report), report.splits[0].whole.facts.dtype) == (["LG203"], "float64")
    assert report.findings[0].samples[0].key == "row 2"


def test_images(tmp_path: Path) -> None:
    Image = pytest.importorskip("PIL.Image")  # noqa: N806 - a module with a class's name
    for number, mode in enumerate(["L", "P", "I;16"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        pixels = np.array([[0, 1], [2, 255]], np.uint16 if mode == "I;16" else np.uint8)
        image = Image.fromarray(pixels) if mode != "P" else Image.fromarray(pixels, "L").convert("P")
        if mode == "P":
            image = Image.new("P", (2, 2))
            image.putdata([0, 1, 2, 255])
            image.putpalette([value for colour in range(256) for value in (colour, 7, 9)])
        image.save(folder / "mask.png")
        report = lossguard.audit(folder, classes=3)
        assert report.splits[0].counts() == {0: 1, 1: 1, 2: 1, 255: 1}, mode
        assert report.findings[-1].samples[0].position == (1, 1)
    Image.fromarray(np.zeros((2, 2, 3), np.uint8)).save(tmp_path / "rgb.png")
    coloured = lossguard.audit(tmp_path / "rgb.png", classes=3)
    assert codes(coloured) == ["LG502"]
    assert coloured.splits[0].counts() == {"RGB #000000": 4}
    assert "this is a column of colours" in coloured.findings[0].message
    several = lossguard.audit(str(tmp_path / "*" / "mask.png"), classes=3)
    assert [sample.key for sample in several.findings[0].samples][:1] == [str(tmp_path / "0" / "mask.png")]


def test_a_tree_of_folders(tmp_path: Path) -> None:
    for name in ("cat", "dog", "dog2"):
        (tmp_path / name).mkdir()
    for name in ("cat/a.png", "cat/b.jpg", "dog/c.png"):
        (tmp_path / name).write_bytes(b"")
    report = lossguard.audit(tmp_path, classes=3)
    assert report.splits[0].counts() == {0: 2, 1: 1}
    assert "1 of 3 classes has no label: 2" in str(report)
    assert "0 cat: 2" in str(report)


def test_shards(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, data in (("a.cls", b"1"), ("a.jpg", b"x"), ("../b.cls", b"7"), ("c.jpg", b""), ("c.json", b"{}")):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    report = lossguard.audit(tmp_path / "a.tar", "cls", classes=3)
    assert sorted(codes(report)) == ["LG201", "LG203"]
    assert not (tmp_path.parent / "b.cls").exists()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_shards_that_webdataset_wrote_and_reads(tmp_path: Path) -> None:
    webdataset = pytest.importorskip("webdataset")
    with webdataset.TarWriter(str(tmp_path / "a.tar")) as writer:
        for number in range(6):
            writer.write(
                {"__key__": f"{number:03}", "cls": number % 3, "npy": np.zeros(1, np.float32), "json": {"y": 1.5}}
            )
    assert lossguard.audit(tmp_path / "a.tar", classes=3).splits[0].counts() == {0: 2, 1: 2, 2: 2}
    assert codes(lossguard.audit(tmp_path / "a.tar", "json.y", classes=3)) == ["LG204"]
    decoded = webdataset.WebDataset(str(tmp_path / "a.tar"), shardshuffle=False).decode().to_tuple("npy", "cls")
    assert lossguard.audit(decoded, classes=3).splits[0].counts() == {0: 2, 1: 2, 2: 2}
    floats = decoded.map_tuple(lambda x: x, float)
    assert codes(lossguard.audit(floats, classes=3)) == ["LG101"]


def test_a_table_of_a_database(tmp_path: Path) -> None:
    sqlite = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with sqlite.connect(str(tmp_path / "a.db")) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE labels (label INTEGER)")
        cursor.execute("INSERT INTO labels VALUES (0), (1), (9)")
        connection.commit()
    report = lossguard.audit(f"sqlite://{tmp_path / 'a.db'}", "labels.label", classes=3)
    assert codes(report) == ["LG201"]
    with pytest.raises(lossguard.CannotAudit, match="cannot be read"):
        lossguard.audit(f"sqlite://{tmp_path / 'a.db'}", "labels.labels.label", classes=3)


def test_huggingface_datasets_as_they_are_formatted() -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features({"label": datasets.ClassLabel(names=["cat", "dog"])})
    rows = datasets.Dataset.from_dict({"label": [0, 1, 1]}, features=features)
    report = lossguard.audit(rows, "label", classes=2)
    assert (report.verdict, report.splits[0].source.names) == ("sound", ("cat", "dog"))
    assert "1 dog: 2" in str(report)
    assert codes(lossguard.audit(rows.with_transform(lambda _: {"label": [1.0]}), "label", classes=2)) == ["LG101"]


class Cast(torch.utils.data.Dataset[Any]):
    """Keeps its labels as whole numbers and hands them out as floats."""

    def __init__(self) -> None:
        self.targets = [0, 1, 2, 1]

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, index: int) -> Any:
        label = self.targets[index]
        return torch.zeros(2), float(label)


def test_a_cast_in_the_dataset_is_found_with_its_line() -> None:
    for source in (Cast(), torch.utils.data.DataLoader(Cast(), batch_size=2, num_workers=0)):
        report = lossguard.audit(source, classes=3)
        assert codes(report) == ["LG101"]
        (origin,) = report.findings[0].origin
        assert origin.place.code == "return torch.zeros(2), float(label)"


class Twice(Cast):
    """Makes floats in two ways in one line; without the one, there is still the other."""

    def __getitem__(self, index: int) -> Any:
        label: Any = self.targets[index]
        label = torch.tensor(label / 1, dtype=torch.float32)
        return torch.zeros(2), label


def test_a_fix_that_leaves_the_line_bad_is_not_proposed() -> None:
    report = lossguard.audit(Twice(), classes=3)
    assert codes(report) == ["LG101"]
    assert not [fix.code for fix in report.findings[0].fixes if "float32" in fix.code]


def test_strings_are_numbers_where_a_reader_of_tables_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label\n1_0\n\u0661\n1e0\n 2\n", encoding="utf-8")
    column = lossguard.audit(tmp_path / "a.csv", classes=3).splits[0].whole
    assert column.words == {"1_0": 1, "\u0661": 1}
    assert pd.read_csv(tmp_path / "a.csv").label.tolist() == ["1_0", "\u0661", "1e0", " 2"]


def test_saved_datasets_of_huggingface_tell_the_names_of_their_classes(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features({"label": datasets.ClassLabel(names=["cat", "dog"])})
    rows = datasets.Dataset.from_dict({"label": [0, 1, 1]}, features=features)
    datasets.DatasetDict({"train": rows, "test": rows}).save_to_disk(tmp_path / "both")
    rows.to_parquet(tmp_path / "rows.parquet")
    assert "0 cat: 2, 1 dog: 4" in str(lossguard.audit(tmp_path / "both", classes=2))
    assert "0 cat: 1, 1 dog: 2" in str(lossguard.audit(tmp_path / "both" / "test", classes=2))
    assert "0 cat: 1, 1 dog: 2" in str(lossguard.audit(tmp_path / "rows.parquet", classes=2, full=True))


def test_labels_kept_aside_are_read_only_if_samples_agree() -> None:
    class Kept(Cast):
        def __getitem__(self, index: int) -> Any:
            return torch.zeros(2), self.targets[index]

    report = lossguard.audit(Kept(), classes=3)
    assert (report.verdict, len(report.splits[0].source.notes)) == ("sound", 1)
    assert lossguard.audit(Kept(), classes=3, full=True).splits[0].source.notes == ()
    changing: Any = Kept()
    changing.target_transform = float  # whatever three samples say, this one may change others
    assert lossguard.audit(changing, classes=3).splits[0].source.notes == ()


def test_a_criterion_and_a_model_tell_what_nobody_has_to_type() -> None:
    criterion = torch.nn.CrossEntropyLoss(ignore_index=255)
    model = torch.nn.Sequential(torch.nn.Linear(2, 9), torch.nn.ReLU(), torch.nn.Linear(9, 3))
    report = lossguard.audit([0, 2, 255], criterion=criterion, model=model)
    assert (report.verdict, report.classes, report.ignore_index) == ("sound", 3, 255)
    assert codes(lossguard.audit([0, 3], criterion=torch.nn.NLLLoss(torch.ones(3)))) == ["LG201"]


def test_splits_are_compared() -> None:
    report = lossguard.audit(splits={"train": [0, 1, 2], "val": [0, 1, 5]}, classes=4)
    assert [finding.evidence["split"] for finding in report] == ["val"]
    assert report.drift() == ["1 class of train is not in val: 2", "1 class of val is not in train: 5"]


def test_nan_of_a_data_frame_stays_nan_and_null_of_a_table_stays_null() -> None:
    frame = lossguard.audit(pd.DataFrame({"label": [0.0, np.nan]}), classes=3)
    table = lossguard.audit(pa.table({"label": [0.0, None]}), classes=3)
    assert [(r.splits[0].whole.facts.nan, r.splits[0].whole.facts.null) for r in (frame, table)] == [(1, 0), (0, 1)]
