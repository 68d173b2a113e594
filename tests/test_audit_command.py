"""`lossguard audit`: exit codes, formats, files that are written whole or not at all, and input that is bad."""

from __future__ import annotations

import contextlib
import csv
import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import torch

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402 - after the look whether it is there

import lossguard  # noqa: E402 - as above
from lossguard.audit.sources import tables  # noqa: E402 - as above
from lossguard.cli.main import main  # noqa: E402 - as above


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a sound table, one that a cast mends, and one that nothing does."""
    monkeypatch.chdir(tmp_path)
    field = pa.field("label", pa.float64(), metadata={"unit": "class"})
    schema = pa.schema([pa.field("x", pa.string()), field], metadata={"made": "by a test"})
    for name, labels in {
        "sound": [0, 1, 2, 2],
        "floats": [0.0, 1.0, 2.0, 2.0],
        "broken": [0.0, None, 2.5, 7.0],
    }.items():
        values = pa.array(labels)
        table = pa.table([pa.array(list("abcd")), values], schema=schema.set(1, field.with_type(values.type)))
        pq.write_table(table, f"{name}.parquet", compression="zstd", row_group_size=3)
    return tmp_path


def run(*arguments: str) -> int:
    return main(["audit", *arguments])


def test_exit_codes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sound.parquet", "--target", "label", "--classes", "3") == 0
    assert run("broken.parquet", "--target", "label", "--classes", "3") == 1
    assert run("sound.parquet", "--target", "lable") == 2
    assert "has no column 'lable'; the nearest: 'label'" in capsys.readouterr().err
    assert run() == 2
    assert run("sound.parquet", "--loss", "cross_entrpy") == 2
    assert "cross_entropy" in capsys.readouterr().err
    assert run("--split", "sound.parquet") == 2
    assert run("sound.parquett") == 2
    assert "sound.parquet" in capsys.readouterr().err
    assert folder.is_dir()


def test_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("broken.parquet", "--classes", "3", "--format", "json")
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["audit"]["splits"][0]["null"]) == ("broken", 1)
    run("broken.parquet", "--classes", "3", "--format", "github")
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition("title=")[2][:5] for line in lines[:-1]] == ["LG201", "LG203", "LG204"]
    assert lines[0].startswith("::error ")
    assert lines[0].endswith("(first: row 3)")
    run("broken.parquet", "--classes", "3", "--format", "junit")
    suite = ET.fromstring(capsys.readouterr().out)[0]  # noqa: S314 - our own words
    assert (suite.get("tests"), suite.get("failures")) == ("3", "3")
    run("sound.parquet", "--classes", "3", "--format", "junit")
    assert ET.fromstring(capsys.readouterr().out)[0].get("failures") == "0"  # noqa: S314 - our own words
    assert folder.is_dir()


def test_a_fixed_copy_has_the_labels_as_int64_and_all_else_as_it_was(folder: Path) -> None:
    assert run("floats.parquet", "--classes", "3", "--fix-to", "fixed.parquet") == 1  # what was audited is broken
    before, after = pq.read_table("floats.parquet"), pq.read_table("fixed.parquet")
    assert after["label"].to_pylist() == [0, 1, 2, 2]
    assert after.schema.field("label").type == pa.int64()
    assert after.schema.field("label").metadata == before.schema.field("label").metadata
    assert (after["x"], after.schema.metadata) == (before["x"], before.schema.metadata)
    assert pq.ParquetFile("fixed.parquet").metadata.row_group(0).column(0).compression == "ZSTD"
    assert run("fixed.parquet", "--classes", "3") == 0
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_a_copy_that_would_lose_a_label_is_refused_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("broken.parquet", "--classes", "3", "--fix-to", "fixed.parquet", "--rows-to", "bad.csv") == 1
    said = capsys.readouterr().err
    for words in ("1 labels are missing (row 1)", "1 labels are fractional (row 2)", "(row 3)"):
        assert words in said
    assert not Path("fixed.parquet").exists()
    with Path("bad.csv").open(encoding="utf-8") as file:
        rows = [(line["row"], line["value"], line["fault"]) for line in csv.DictReader(file)]
    assert rows == [("1", "", "missing"), ("2", "2.5", "fractional"), ("3", "7.0", "beyond the last class")]
    assert run("floats.parquet", "--classes", "3", "--fix-to", "floats.parquet") == 2
    assert run("floats.parquet", "--classes", "3", "--fix-to", "sound.parquet") == 2
    assert folder.is_dir()


@pytest.mark.parametrize("ending", ["csv", "tsv", "feather", "jsonl", "npy", "npz", "pt", "safetensors"])
def test_other_formats_are_copied_too(folder: Path, ending: str) -> None:
    source, copy = f"a.{ending}", f"b.{ending}"
    if ending in {"csv", "tsv"}:
        comma = "," if ending == "csv" else "\t"
        Path(source).write_text(f'x{comma}label\n1.50{comma}1.0\n"a{comma}b"{comma}2\n', encoding="utf-8")
    elif ending == "feather":
        pytest.importorskip("pyarrow.feather").write_feather(pa.table({"x": [1, 2], "label": [1.0, 2.0]}), source)
    elif ending == "jsonl":
        Path(source).write_text('{"x": "é", "label": 1.0}\n{"x": 2, "label": 2.0}\n', encoding="utf-8")
    elif ending == "npy":
        np.save(source, np.array([1.0, 2.0]))
    elif ending == "npz":
        np.savez_compressed(source, x=np.array([1.5]), label=np.array([1.0, 2.0]))
    elif ending == "pt":
        torch.save({"x": torch.tensor([1.5]), "label": torch.tensor([1.0, 2.0])}, source)
    else:
        tensors = {"x": torch.tensor([1.5]), "label": torch.tensor([1.0, 2.0])}
        pytest.importorskip("safetensors.torch").save_file(tensors, source, {"made": "by a test"})
    target = [] if ending == "npy" else ["--target", "label"]
    assert run(source, *target, "--classes", "3", "--fix-to", copy) == 1
    report = lossguard.audit(copy, target[-1] if target else None, classes=3)
    assert (report.verdict, report.splits[0].counts()) == ("sound", {1: 1, 2: 1})
    if ending in {"npz", "pt", "safetensors"}:
        assert lossguard.audit(copy, "x", loss="mse_loss").splits[0].whole.facts.largest == 1.5
    if ending == "csv":
        assert Path(copy).read_text(encoding="utf-8") == 'x,label\n1.50,1\n"a,b",2\n'
    assert folder.is_dir()


def test_every_bad_row_is_exported_not_only_the_first(folder: Path) -> None:
    pq.write_table(pa.table({"label": [9] * 5000 + [0]}), "many.parquet", row_group_size=999)
    assert run("many.parquet", "--classes", "3", "--rows-to", "bad.csv") == 1
    lines = Path("bad.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[2] for line in lines[1:]] == [str(row) for row in range(5000)]
    assert folder.is_dir()


def test_a_full_disk_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(folder.iterdir())
    for option in ("--fix-to", "--rows-to", "--save-contract"):
        assert run("floats.parquet", "--classes", "3", option, "out.parquet") == 2
        assert sorted(folder.iterdir()) == before


def test_contracts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sound.parquet", "--target", "label", "--classes", "3", "--save-contract", "labels.toml") == 0
    assert run("sound.parquet", "--target", "label", "--contract", "labels.toml") == 0
    pq.write_table(pa.table({"label": [0, 0, 0, 1]}), "other.parquet")
    assert run("other.parquet", "--contract", "labels.toml") == 1
    said = capsys.readouterr().out
    assert "label 2 is gone (2 before)" in said
    assert "label 0 had a share of 25.0% and has 75.0%" in said
    assert run("other.parquet", "--contract", "labels.toml", "--format", "github") == 1
    assert "::error title=lossguard contract::all: label 2 is gone" in capsys.readouterr().out
    Path("labels.toml").write_text("classes = 'three'", encoding="utf-8")
    assert run("other.parquet", "--contract", "labels.toml") == 2
    assert run("other.parquet", "--contract", "nowhere.toml") == 2
    assert folder.is_dir()


def test_labels_with_html_and_control_characters_are_tamed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"label": ["<script>alert(1)</script>", "\x1b[31mred", "\x00"]}), "evil.parquet")
    assert run("evil.parquet") == 1
    assert "\x1b" not in capsys.readouterr().out
    assert run("evil.parquet", "--format", "junit") == 1
    ET.fromstring(capsys.readouterr().out)  # noqa: S314 - our own words
    assert run("evil.parquet", "--format", "json", "--save-contract", "evil.toml") == 1
    json.loads(capsys.readouterr().out)
    assert run("evil.parquet", "--contract", "evil.toml") == 1
    assert folder.is_dir()


def test_the_files_that_a_shell_names_for_a_pattern_are_one_source(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, label in (("a", 0), ("b", 1), ("c", 7)):
        pq.write_table(pa.table({"label": [label]}), f"{name}.parquet")
    assert run("a.parquet", "b.parquet", "c.parquet", "--classes", "3") == 1
    said = capsys.readouterr().out
    assert "row 0 of c.parquet = 7" in said
    assert "broken: a.parquet and 2 more (3 rows)" in said
    assert run("a.parquet", "d.parquet", "--classes", "3") == 2
    assert "there is no d.parquet" in capsys.readouterr().err
    assert folder.is_dir()


def test_names_that_a_database_does_not_have(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect("a.db") as connection:
        connection.execute("CREATE TABLE samples (label INTEGER)")
    connection.close()
    for target, words in {
        "samples.lable": "has no column 'lable'; the nearest: 'label'",
        "sample.label": "there is no such table; the nearest: 'samples'",
    }.items():
        assert run("sqlite://a.db", "--target", target) == 2
        assert words in capsys.readouterr().err
    assert folder.is_dir()


def _cut(path: str) -> None:
    data = Path(path).read_bytes()
    Path(path).write_bytes(data[: len(data) * 2 // 3])


class Runs:
    """Asks to run a command when it is unpickled."""

    def __reduce__(self) -> Any:
        return os.system, ("touch ran",)


def test_bad_files_are_one_line_and_exit_two(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("cut.npy", np.arange(9999))
    np.savez("cut.npz", label=np.arange(9999))
    np.save("objects.npy", np.array([Runs()], object), allow_pickle=True)
    torch.save(torch.arange(9999), "cut.pt")
    torch.save(Runs(), "runs.pt")
    pq.write_table(pa.table({"label": list(range(9999))}), "cut.parquet")
    for name in ("cut.npy", "cut.npz", "cut.pt", "cut.parquet"):
        _cut(name)
    Path("nothing.csv").write_text("", encoding="utf-8")
    Path("words.parquet").write_text("no table", encoding="utf-8")
    Path("line.csv").write_text("x,label\n1,2\n3\n4,5\n", encoding="utf-8")
    Path("line.jsonl").write_text('{"label": 1}\n{"label": \n', encoding="utf-8")
    Path("raises.py").write_text("raise KeyError('no data')\n", encoding="utf-8")
    Path("raises_not.py").write_text("class Labels(list):\n    pass\n", encoding="utf-8")
    Path("notes.txt").write_text("x", encoding="utf-8")
    Path("empty").mkdir()
    expected = {
        "cut.npy": "cut.npy",
        "cut.npz": "cut.npz",
        "cut.pt": "cut.pt",
        "cut.parquet": "cut.parquet",
        "objects.npy": "refused",
        "runs.pt": "wants to run code when it is loaded; refused",
        "nothing.csv": "is empty",
        "words.parquet": "words.parquet cannot be read",
        "line.csv": "line 3 has 1 fields, and the header has 2",
        "line.jsonl": "line 2 is no JSON",
        "raises.py:train": "raises KeyError: 'no data' (raises.py:1)",
        "notes.txt": "an ending that is not known",
        "empty": "holds no file of labels",
        "no*.csvv": "no file matches",
        "mysql://host/db": "there is no driver for mysql",
        "sqlite://nowhere.db": "there is no nowhere.db",
        "raises_not.py:Labels": "is a class; to audit what it gives, write raises_not.py:Labels()",
    }
    for source, words in expected.items():
        assert run(source, "--target", "label" if "npy" not in source else "0") == 2, source
        said = capsys.readouterr().err
        assert words in said, said
        assert said.count("\n") == 1, said
    assert not Path("ran").exists()
    assert not Path("nowhere.db").exists()
    assert folder.is_dir()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no users")
def test_no_permission(capsys: pytest.CaptureFixture[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        for name in ("a.csv", "a.npy", "a.parquet", "inner/a.csv"):
            (Path(place) / name).parent.mkdir(exist_ok=True)
            (Path(place) / name).write_text("label\n1\n", encoding="utf-8")
            (Path(place) / name).chmod(0)
        Path(place).chmod(0o755)
        (Path(place) / "inner").chmod(0)
        said = {}
        before = os.geteuid()
        os.seteuid(before or 65534)  # root may read everything
        try:
            for name in ("a.csv", "a.npy", "a.parquet", "inner/a.csv"):
                said[name] = run(f"{place}/{name}", "--target", "label"), capsys.readouterr().err
        finally:
            os.seteuid(before)
            (Path(place) / "inner").chmod(0o755)
    assert [code for code, _ in said.values()] == [2] * 4, said
    assert all("permission" in words.lower() for _, words in said.values()), said


def test_a_disk_that_takes_no_more(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resource = pytest.importorskip("resource")
    torch.save(torch.arange(9.0).repeat(999), "a.pt")
    Path("a.csv").write_text("label\n" + "1.0\n" * 9999, encoding="utf-8")
    np.save("a.npy", np.arange(9.0).repeat(999))
    before = sorted(folder.iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    codes = {}
    for source in ("a.pt", "a.csv", "a.npy", "floats.parquet"):
        for option, file in (
            ("--fix-to", f"out{Path(source).suffix}"),
            ("--html", "out.html"),
            ("--rows-to", "out.csv"),
        ):
            if option == "--rows-to" and source != "a.pt":
                continue
            capsys.readouterr()
            classes = "3" if option == "--rows-to" else "9"
            resource.setrlimit(resource.RLIMIT_FSIZE, (128, limits[1]))
            try:
                codes[source, option] = run(source, "--classes", classes, option, file)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            assert "cannot be written" in capsys.readouterr().err, (source, option)
            assert sorted(folder.iterdir()) == before, (source, option)
    assert set(codes.values()) == {2}


def test_tables_at_the_edge(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("header.csv").write_text("x,label\n", encoding="utf-8")
    Path("huge.csv").write_text(f"label\n1\n{2**63}\n{10**30}\n", encoding="utf-8")
    Path("huge.jsonl").write_text(f'{{"label": 1}}\n{{"label": {2**70}}}\n', encoding="utf-8")
    Path("mixed.jsonl").write_text('{"label": 1}\n{"label": "cat"}\n{"label": [1, 2]}\n{}\n', encoding="utf-8")
    pq.write_table(pa.table({"label": pa.array([], pa.int64())}), "none.parquet")
    codes = {}
    for name in ("header.csv", "huge.csv", "huge.jsonl", "mixed.jsonl", "none.parquet"):
        assert run(name, "--classes", "3", "--target", "label", "--format", "json") in {0, 1}, name
        codes[name] = [finding["code"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert "LG201" in codes["huge.csv"]
    assert "LG502" in codes["mixed.jsonl"]
    assert codes["none.parquet"] == codes["header.csv"] == ["LG208"]
    assert set(codes["huge.jsonl"]) <= {"LG201", "LG502", "LG209"}
    assert folder.is_dir()


def test_a_source_that_changes_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = tables.ParquetPart.batches

    def changing(self: Any) -> Any:
        yield from honest(self)
        os.utime(self.path, ns=(1, 1))

    monkeypatch.setattr(tables.ParquetPart, "batches", changing)
    with pytest.raises(lossguard.CannotAudit, match="was changed while it was read"):
        lossguard.audit("floats.parquet", classes=3)
    assert folder.is_dir()


class Moody(torch.utils.data.Dataset[Any]):
    """Does something else at its third sample."""

    def __init__(self, mood: str) -> None:
        self.mood = mood

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        if index == 3 and self.mood == "raises":
            raise FileNotFoundError("3.png")
        if index == 3 and self.mood == "hangs":
            time.sleep(600)
        if index == 3 and self.mood == "ends the program":
            raise SystemExit(0)
        while index == 3 and self.mood == "tries for ever":
            with contextlib.suppress(Exception):
                time.sleep(600)
        return torch.zeros(2), torch.zeros(3 if index == 3 and self.mood == "shapes" else 2, dtype=torch.long)


def test_datasets_that_misbehave() -> None:
    with pytest.raises(lossguard.CannotAudit, match=r"sample 3 of Moody raises FileNotFoundError: 3.png \(.*:\d+\)"):
        lossguard.audit(Moody("raises"), classes=3)
    with pytest.raises(lossguard.CannotAudit, match=r"sample 3 of Moody took longer than 0.2 s"):
        lossguard.audit(Moody("hangs"), classes=3, sample_seconds=0.2)
    with pytest.raises(lossguard.CannotAudit, match=r"sample 3 of Moody took longer than 0.2 s"):
        lossguard.audit(Moody("tries for ever"), classes=3, sample_seconds=0.2)
    with pytest.raises(lossguard.CannotAudit, match=r"sample 3 of Moody raises SystemExit: 0 \(.*:\d+\)"):
        lossguard.audit(Moody("ends the program"), classes=3)
    report = lossguard.audit(Moody("shapes"), classes=3)
    assert report.splits[0].whole.lengths == (2, 3)
    assert "samples hold 2 to 3 labels; torch cannot stack them into a batch" in str(report)
    assert "uneven" not in str(lossguard.audit(Moody("even"), classes=3))
    loader: Any = torch.utils.data.DataLoader(Moody("shapes"), batch_size=6)
    with pytest.raises(lossguard.CannotAudit, match="batch 0 of DataLoader raises RuntimeError"):
        lossguard.audit(loader, classes=3)


class Endless(torch.utils.data.IterableDataset[Any]):
    """Has no end."""

    def __iter__(self) -> Any:
        while True:
            yield torch.zeros(2), 1


def test_an_endless_dataset_is_read_to_the_limit() -> None:
    report = lossguard.audit(Endless(), classes=3, limit=1000)
    assert report.splits[0].whole.samples == 1000
    assert "the first 1,000 samples only" in str(report)
    loader: Any = torch.utils.data.DataLoader(Endless(), batch_size=64, num_workers=1)
    assert lossguard.audit(loader, classes=3, limit=100).splits[0].whole.samples == 100


def test_a_dataset_that_forks_is_told_once(folder: Path) -> None:
    Path("forks.py").write_text(
        "import os\nclass Forks:\n    def __len__(self): return 4\n    def __getitem__(self, i):\n"
        "        if i == 2: os.fork()\n        return 0, i\nforks = Forks()\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "lossguard", "audit", "forks.py:forks", "--classes", "4"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert (result.returncode, result.stdout.count("sound:")) == (0, 1)


def test_ctrl_c_gives_what_was_read_and_130(folder: Path) -> None:
    Path("slow.py").write_text(
        "import time\nclass Slow:\n    def __len__(self): return 10**9\n    def __getitem__(self, i):\n"
        "        if i == 600: print('READY', flush=True)\n        if i > 600: time.sleep(600)\n"
        "        return 0, i % 3\nslow = Slow()\n"
        "if __name__ == '__main__': raise SystemExit('this does not run')\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "lossguard", "audit", "slow.py:slow", "--classes", "3", "--rows-to", "rows.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        while "READY" not in process.stdout.readline():
            assert process.poll() is None
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "labels     601 samples" in said
    assert "unknown: slow.py:slow" in said  # a part of the labels proves nothing
    assert not Path("rows.csv").exists()
    assert "interrupted: all this is about what was read until then" in said


def test_without_its_packages_an_audit_names_the_command_that_installs_them(folder: Path) -> None:
    probe = (
        "import sys\nsys.modules['pyarrow'] = None\nfrom lossguard.cli.main import main\n"
        "sys.exit(main(['audit', 'sound.parquet']))"
    )
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False, cwd=folder)
    assert result.returncode == 2
    assert result.stderr == (
        "lossguard: an audit needs pyarrow, which is not installed: pip install 'lossguard[audit]'\n"
    )
    probe = probe.replace("sound.parquet", "sond.parquet")
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False, cwd=folder)
    assert result.stderr.startswith("lossguard: there is no sond.parquet; the nearest: 'sound.parquet'")
