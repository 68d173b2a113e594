"""What an audit costs beside duckdb, polars, pandas and pandera, in one run and on the same files; medians of three.

python bench/audit.py [ROWS]: 50 million rows unless told otherwise. Others that are not installed are left out.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lossguard

_TIMES = 3


def median(run: Callable[[], Any]) -> float:
    """Seconds, the median of three runs after one to warm up."""
    run()
    taken = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def with_duckdb(file: str, column: str) -> Callable[[], Any] | None:
    """Range, missing values and histogram, or NaN and fractions, as SQL."""
    try:
        import duckdb
    except ModuleNotFoundError:
        return None
    wanted = f"min({column}), max({column}), count({column}), count(*)"
    if column == "label":
        return lambda: (
            duckdb.sql(f"SELECT {wanted} FROM '{file}'").fetchall(),  # noqa: S608 - our own names
            duckdb.sql(f"SELECT {column}, count(*) FROM '{file}' GROUP BY 1").fetchall(),  # noqa: S608 - as above
        )
    wanted += f", sum(isnan({column})::INT), sum((floor({column}) <> {column})::INT)"
    return lambda: duckdb.sql(f"SELECT {wanted} FROM '{file}'").fetchall()  # noqa: S608 - our own names


def with_polars(file: str, column: str) -> Callable[[], Any] | None:
    """The same, as lazy polars."""
    try:
        import polars as pl
    except ModuleNotFoundError:
        return None
    each = pl.col(column)
    wanted = [each.min().alias("a"), each.max().alias("b"), each.null_count().alias("c")]
    if column == "label":
        return lambda: (
            pl.scan_parquet(file).select(wanted).collect(),
            pl.scan_parquet(file).group_by(column).len().collect(),
        )
    wanted += [each.is_nan().sum().alias("d"), (each.floor() != each).sum().alias("e")]
    return lambda: pl.scan_parquet(file).select(wanted).collect()


def with_pandas(file: str, column: str) -> Callable[[], Any] | None:
    """The same, as pandas."""
    import pandas as pd

    def run() -> Any:
        labels = pd.read_parquet(file, columns=[column])[column]
        return labels.min(), labels.max(), labels.isna().sum(), labels.value_counts()

    return run


def compare(file: str, rows: int) -> None:
    """Print a line for each column and each tool."""
    for column in ("label", "score"):
        own = median(partial(lossguard.audit, file, column, classes=100, full=True))
        print(f"{rows:>12,} rows  {column:<6} lossguard {own:7.3f} s")
        for name, make in {"duckdb": with_duckdb, "polars": with_polars, "pandas": with_pandas}.items():
            run = make(file, column)
            if run is not None and (name != "pandas" or rows <= 10_000_000):
                other = median(run)
                print(f"{'':>25}{name:<9} {other:7.3f} s   lossguard takes {own / other:.2f} of it")
    footers = median(lambda: lossguard.audit(file, "label", classes=100))
    print(f"{'':>25}footers   {footers:7.4f} s")


def main() -> int:
    """Compare on a tenth of the rows and on all of them."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000_000
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for rows in (most // 10, most):
            file = str(Path(folder) / f"{rows}.parquet")
            labels = random.integers(0, 100, rows)
            pq.write_table(
                pa.table({"label": labels, "score": labels.astype(np.float64)}), file, row_group_size=1 << 20
            )
            memory = median(partial(lossguard.audit, labels, classes=100))
            print(f"{rows:>12,} rows  int64 in memory: {memory:.3f} s")
            del labels
            compare(file, rows)
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
