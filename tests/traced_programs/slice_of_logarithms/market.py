"""Hourly day-ahead prices for one bidding zone, with wind and load."""
import numpy as np
import pandas as pd


def simulate(days: int = 90, seed: int = 21) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    hours = pd.date_range("2024-03-01", periods=24 * days, freq="h", name="hour")
    clock = hours.hour.to_numpy()
    wind = np.clip(np.cumsum(rng.normal(0, 0.6, len(hours))) % 20, 0, None)
    load = 40 + 10 * np.sin((clock - 7) / 24 * 2 * np.pi) + rng.normal(0, 1, len(hours))
    price = 55 + 1.6 * (load - 40) - 3.1 * wind + rng.normal(0, 4, len(hours))
    return pd.DataFrame({"wind": wind, "load": load, "price": price}, index=hours)


def calendar(index: pd.DatetimeIndex) -> pd.DataFrame:
    angle = 2 * np.pi * index.hour.to_numpy() / 24
    return pd.DataFrame(
        {"sin": np.sin(angle), "cos": np.cos(angle), "weekend": (index.dayofweek >= 5).astype(float)},
        index=index,
    )
