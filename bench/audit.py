"""What an audit costs beside duckdb, polars, pandas and pandera: `python bench/audit.py [ROWS]`, or 50 million.

Every tool answers the same question on the same file or array, one after the other in each round, so that what else
runs on the machine hits them alike. Shown are medians over rounds, and our time as a multiple of the fastest of duckdb
and polars. Then audits of a fiftieth, a fifth and all of the rows, each in a process of its own, with the most memory
that it took. Exits with 1 where a limit is not kept.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lossguard

_ROUNDS: Final = 3
_GROUP: Final = 1 << 20
Runs = dict[str, Callable[[], Any]]
#: How many times the fastest of duckdb and polars an audit may take.
_LIMITS: Final = {"int64 Parquet": 1.3, "float64 Parquet": 1.5, "int64 in memory": 1.0, "footers": 0.05}


def written(folder: str, rows: int) -> str:
    """A Parquet file with labels as int64 and the same labels as float64, made a row group at a time."""
    path = str(Path(folder) / f"{rows}.parquet")
    random = np.random.default_rng(0)
    schema = pa.schema([("label", pa.int64()), ("score", pa.float64())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, _GROUP):
            labels = random.integers(0, 100, min(_GROUP, rows - start))
            writer.write_table(pa.table([labels, labels.astype(np.float64)], schema=schema))
    return path


def with_duckdb(table: str, column: str, *, counted: bool, memory: Any = None) -> Callable[[], Any]:
    """Range, missing values, NaN and fractions as SQL, and how often each label occurs if that is asked."""
    import duckdb

    connection = duckdb.connect()
    if memory is not None:
        connection.register("memory", memory)
    wanted = f"min({column}), max({column}), count({column}), count(*)"
    if column == "score":
        wanted += f", sum(isnan({column})::INT), sum((floor({column}) <> {column})::INT)"
    asked = [f"SELECT {wanted} FROM {table}"]  # noqa: S608 - our own names
    if counted:
        asked.append(f"SELECT {column}, count(*) FROM {table} GROUP BY 1")  # noqa: S608 - as above
    return lambda: [connection.sql(query).fetchall() for query in asked]


def with_polars(frame: Callable[[], Any], column: str, *, counted: bool) -> Callable[[], Any]:
    """The same, as lazy polars."""
    import polars as pl

    each = pl.col(column)
    wanted = [each.min().alias("a"), each.max().alias("b"), each.null_count().alias("c")]
    if column == "score":
        wanted += [each.is_nan().sum().alias("d"), (each.floor() != each).sum().alias("e")]
    return lambda: (frame().select(wanted).collect(), frame().group_by(column).len().collect() if counted else None)


def with_pandas(file: str, column: str) -> Any:
    """The same, as pandas."""
    import pandas as pd

    labels = pd.read_parquet(file, columns=[column])[column]
    return labels.min(), labels.max(), labels.isna().sum(), labels.value_counts()


def with_pandera(file: str, column: str) -> Any:
    """Whether every value is a class, as pandera on pandas asks it; it counts nothing."""
    import pandas as pd
    import pandera.pandas as pa_schema

    check = pa_schema.Check(lambda values: (values % 1 == 0) & (values >= 0) & (values < 100))
    dtype = "int64" if column == "label" else "float64"
    return pa_schema.DataFrameSchema({column: pa_schema.Column(dtype, check)}).validate(
        pd.read_parquet(file, columns=[column])
    )


def contests(file: str, labels: Any) -> dict[str, Runs]:
    """Who answers which question."""
    import polars as pl

    table = f"'{file}'"
    scan = partial(pl.scan_parquet, file)
    arrow = pa.table({"label": labels})
    frame = pl.from_arrow(arrow)
    assert isinstance(frame, pl.DataFrame)  # noqa: S101 - for the types
    own = partial(lossguard.audit, classes=100)
    whole: Runs = {"pandas": partial(with_pandas, file, "label"), "pandera": partial(with_pandera, file, "label")}
    parts: Runs = {"pandas": partial(with_pandas, file, "score"), "pandera": partial(with_pandera, file, "score")}
    scores = {counted: with_duckdb(table, "score", counted=counted) for counted in (True, False)}
    counts = with_duckdb(table, "label", counted=True)
    return {
        "int64 Parquet": {
            "lossguard": partial(own, file, "label", full=True),
            "duckdb": counts,
            "polars": with_polars(scan, "label", counted=True),
            **whole,
        },
        "float64 Parquet, counted": {
            "lossguard": partial(own, file, "score", full=True),
            "duckdb": scores[True],
            "polars": with_polars(scan, "score", counted=True),
            **parts,
        },
        "float64 Parquet": {
            "lossguard": partial(own, file, "score", full=True),
            "duckdb": scores[False],
            "polars": with_polars(scan, "score", counted=False),
        },
        "int64 in memory": {
            "lossguard": partial(own, labels),
            "duckdb": with_duckdb("memory", "label", counted=True, memory=arrow),
            "polars": with_polars(frame.lazy, "label", counted=True),
        },
        "footers": {
            "lossguard": partial(own, file, "label"),
            "duckdb": counts,
            "polars": with_polars(scan, "label", counted=True),
        },
    }


def compared(runs: Runs) -> dict[str, float]:
    """Seconds for each tool, medians of rounds in which each has its turn, after one to warm up."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(_ROUNDS + 1):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def peak(file: str, column: str) -> tuple[float, float]:
    """Seconds and megabytes of an audit in a process of its own."""
    probe = (
        "import json, pathlib, re, sys, time, pyarrow.parquet, lossguard\nlossguard.audit([0], classes=1)\n"
        "start = time.perf_counter()\n"
        "lossguard.audit(sys.argv[1], sys.argv[2], classes=100, full=True)\ntaken = time.perf_counter() - start\n"
        "most = re.search(r'VmHWM:\\s+(\\d+)', pathlib.Path('/proc/self/status').read_text())\n"
        "print(json.dumps([taken, int(most[1]) / 1024]))"
    )
    command = [sys.executable, "-c", probe, file, column]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603 - ours
    return found[0], found[1]


def main() -> int:
    """Compare on all rows, then show how time and memory grow with them."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000_000
    missing = [name for name in ("duckdb", "polars", "pandas", "pandera") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"compares with {', '.join(missing)}: pip install {' '.join(missing)}")
        return 0
    kept = True
    with tempfile.TemporaryDirectory() as folder:
        file = written(folder, rows)
        labels = pq.read_table(file, columns=["label"])["label"].to_numpy()
        print(f"{rows:,} rows, medians of {_ROUNDS}, seconds")
        for question, runs in contests(file, labels).items():
            found = compared(runs)
            ratio = found["lossguard"] / min(found["duckdb"], found["polars"])
            limit = _LIMITS.get(question)
            kept &= limit is None or ratio <= limit
            shown = "  ".join(f"{name} {seconds:.3f}" for name, seconds in found.items())
            said = "" if limit is None else f" (limit {limit})"
            print(f"{question:<25} {ratio:5.2f} of the fastest{said}: {shown}", flush=True)
        del labels
        for some in (rows // 50, rows // 5, rows):
            part = written(folder, some) if some != rows else file
            for column in ("label", "score"):
                seconds, megabytes = peak(part, column)
                print(f"{some:>12,} rows  {column}  {seconds:7.3f} s  {megabytes:5.0f} MB at most", flush=True)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
