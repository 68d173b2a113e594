from pathlib import Path

import numpy as np
import polars as pl

from config import DataConfig


def raw_scores(cfg: DataConfig) -> pl.DataFrame:
    rng = np.random.default_rng(cfg.seed)
    hours = rng.gamma(3.0, 2.0, cfg.rows)
    return pl.DataFrame({
        "student": [f"s{i:04d}" for i in range(cfg.rows)],
        "hours": hours,
        "attendance": rng.uniform(0.4, 1.0, cfg.rows),
        "homework": rng.integers(0, 12, cfg.rows),
        "score": np.clip(30 + 5 * hours + rng.normal(0, 12, cfg.rows), 0, 100).round().astype(int),
    })


def add_band(frame: pl.DataFrame, cfg: DataConfig) -> pl.DataFrame:
    banded = frame.with_columns(band=(pl.col("score") / cfg.band_width).floor())  # guilty
    return banded.with_columns(pl.col("band").clip(0, cfg.top_band)).drop("score")


def standardise(frame: pl.DataFrame, columns: tuple[str, ...]) -> pl.DataFrame:
    return frame.with_columns(((pl.col(c) - pl.col(c).mean()) / pl.col(c).std()) for c in columns)


def build_table(cfg: DataConfig, cache: Path) -> Path:
    cache.mkdir(exist_ok=True)
    table = raw_scores(cfg).pipe(add_band, cfg).pipe(standardise, cfg.features)
    target = cache / "students.parquet"
    table.write_parquet(target)
    return target
