"""Impression log: made up, with a position bias and a little label noise."""
from dataclasses import dataclass

import numpy as np

N_ADS, N_SLOTS, N_HOURS = 40, 5, 24


@dataclass
class Log:
    ad: np.ndarray
    slot: np.ndarray
    hour: np.ndarray
    clicked: np.ndarray

    def __len__(self) -> int:
        return len(self.ad)

    def take(self, rows: np.ndarray) -> "Log":
        return Log(self.ad[rows], self.slot[rows], self.hour[rows], self.clicked[rows])


def generate(n: int, seed: int) -> Log:
    rng = np.random.default_rng(seed)
    ad, slot, hour = (rng.integers(0, k, n) for k in (N_ADS, N_SLOTS, N_HOURS))
    appeal = rng.normal(0, 1, N_ADS)
    score = appeal[ad] - 0.6 * slot + 0.5 * np.sin(hour / 24 * 2 * np.pi) - 0.4
    clicked = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(np.float32)
    return Log(ad, slot, hour, clicked)


def relevance(log: Log, noise: np.ndarray, alpha: float) -> np.ndarray:
    """Clicks softened by what is known about accidental clicks in each slot."""
    prior = np.bincount(log.slot, weights=log.clicked, minlength=N_SLOTS) / np.bincount(log.slot, minlength=N_SLOTS)
    mixed = alpha * noise[log.slot]
    return (1 - mixed) * log.clicked + mixed * prior[log.slot]  # guilty


def accidental_rates() -> np.ndarray:
    return np.array([0.30, 0.22, 0.15, 0.12, 0.10])
