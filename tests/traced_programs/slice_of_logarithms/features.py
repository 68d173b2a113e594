from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

from market import calendar


@dataclass
class Design:
    x: np.ndarray
    y: np.ndarray
    scaler: StandardScaler

    def prices(self, standardised: np.ndarray) -> np.ndarray:
        logs = self.scaler.inverse_transform(standardised.reshape(-1, 1))
        return np.expm1(logs.ravel())


def log_price(price: pd.Series) -> pd.Series:
    with np.errstate(all="ignore"):
        return np.log1p(price)  # guilty


def design(frame: pd.DataFrame, lags=(24, 48, 168), horizon: int = 24) -> Design:
    parts = [calendar(frame.index), frame[["wind", "load"]].add_prefix("now_")]
    for lag in lags:
        parts.append(frame[["price", "load"]].shift(lag).add_suffix(f"_{lag}"))
    x = pd.concat(parts, axis=1)
    y = log_price(frame["price"]).shift(-horizon)

    usable = slice(max(lags), len(frame) - horizon)
    x, y = x.iloc[usable], y.iloc[usable]
    scaler = StandardScaler()
    target = scaler.fit_transform(y.to_numpy().reshape(-1, 1)).ravel()
    inputs = StandardScaler().fit_transform(x.to_numpy())
    return Design(inputs.astype(np.float32), target.astype(np.float32), scaler)
