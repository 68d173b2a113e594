"""Feature table for the rental price-band model."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Table:
    x: np.ndarray
    price: np.ndarray

    def take(self, idx):
        return Table(self.x[idx], self.price[idx])


def synthesize(n: int, rng: np.random.Generator) -> Table:
    rooms = rng.integers(1, 7, n)
    area = 18 * rooms + rng.normal(10, 8, n)
    floor = rng.integers(0, 9, n)
    centre_km = rng.gamma(2.0, 2.2, n)
    price = 9.5 * area + 12 * floor - 35 * centre_km + rng.normal(0, 60, n) + 420
    x = np.column_stack([rooms, area, floor, np.log1p(centre_km)]).astype(np.float32)
    return Table((x - x.mean(0)) / x.std(0), price)


class Banding:
    """Equal-frequency price bands, fitted on the training part."""

    def __init__(self, n_bands: int):
        self.n_bands = n_bands
        self.edges: np.ndarray | None = None

    def fit(self, price: np.ndarray) -> "Banding":
        self.edges = np.quantile(price, np.linspace(0.0, 1.0, self.n_bands + 1))
        return self

    def transform(self, price: np.ndarray) -> np.ndarray:
        clipped = np.clip(price, self.edges[0], self.edges[-1])
        return np.digitize(clipped, self.edges) - 1  # guilty

    def describe(self) -> str:
        return " | ".join(f"{lo:.0f}-{hi:.0f}" for lo, hi in zip(self.edges, self.edges[1:]))
