from datetime import date, datetime, time, timedelta

import numpy as np
import polars as pl


def counts(start: date, hours: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    first = datetime.combine(start, time())
    stamps = pl.datetime_range(first, first + timedelta(hours=hours - 1), "1h", eager=True).alias("at")
    rush = np.exp(-((np.arange(hours) % 24 - 17) ** 2) / 8)
    return pl.DataFrame({"at": stamps, "rides": rng.poisson(20 + 120 * rush), "rain": rng.random(hours) < 0.2})


def weekly_slot(frame: pl.DataFrame) -> pl.DataFrame:
    day = pl.col("at").dt.weekday().cast(pl.Int64)
    return frame.with_columns(slot=day * 24 + pl.col("at").dt.hour())  # guilty


def log_rides(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("rides").log1p().cast(pl.Float32).alias("log_rides"))


def prepare(start: date, hours: int, seed: int) -> pl.DataFrame:
    return counts(start, hours, seed).pipe(weekly_slot).pipe(log_rides).drop("at", "rides")
