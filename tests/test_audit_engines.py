"""ray and Spark give what a local audit gives, to the last count, also when a worker is killed."""

from __future__ import annotations

import io
import os
import signal
import sqlite3
import tarfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.feather  # noqa: E402 - after the look whether it is there
import pyarrow.parquet as pq  # noqa: E402 - as above

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


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_an_engine_gives_what_a_local_audit_gives(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark" if engine == "spark" else "ray")
    # Workers find this very module by its name.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    source, bounds = _labels(tmp_path), demand_of(classes=3).bounds
    local = read_source(source, bounds)
    deadly = Deadly("deadly", source.parts[2], str(tmp_path / "killed"))
    parts = (*source.parts[:2], deadly, *source.parts[3:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = read_on(engine, replace(source, parts=parts), bounds, None, None)
        assert (tmp_path / "killed").exists()
        assert str(found) == str(local)
        assert found.whole.facts.class_counts
        every = _every_kind(tmp_path)
        assert str(read_on(engine, every, bounds, None, None)) == str(read_source(every, bounds))
        if engine == "ray":
            (tmp_path / "a.parquet").write_bytes(b"no table")
            with pytest.raises(CannotAudit, match=r"a\.parquet cannot be read"):
                read_on(engine, source, bounds, None, None)
