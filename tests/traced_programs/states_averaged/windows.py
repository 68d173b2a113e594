from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SIGNALS = ["current", "vibration", "trend", "spread"]


@dataclass(frozen=True)
class Window:
    start: str
    signal: np.ndarray
    state: float


def cut_windows(steps, length=16, ahead=1):
    values = steps[SIGNALS].to_numpy(np.float32)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    states = steps["state"].to_numpy()
    views = sliding_window_view(values, length, axis=0)
    windows = []
    for start in range(len(views) - ahead):
        end = start + length - 1 + ahead
        windows.append(Window(str(steps.index[start]), np.ascontiguousarray(views[start]), states[end]))
    return windows
