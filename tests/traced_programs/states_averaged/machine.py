import numpy as np
import pandas as pd

STATES = ["idle", "warmup", "run", "fault"]


def read_plc(minutes=3000, seed=4):
    """One row every 20 seconds: current, vibration, state of the machine."""
    rng = np.random.default_rng(seed)
    stamps = pd.date_range("2024-05-01", periods=minutes * 3, freq="20s")
    state = np.zeros(len(stamps), dtype=np.int64)
    now = 0
    for position in range(len(stamps)):
        if rng.random() < 0.02:
            now = int(rng.choice([0, 1, 2, 3], p=[0.3, 0.2, 0.45, 0.05]))
        state[position] = now
    level = np.array([0.5, 3.0, 7.0, 9.0])[state]
    return pd.DataFrame({"current": level + rng.normal(0, 0.7, len(stamps)),
                         "vibration": np.abs(rng.normal(0, 0.2 + level / 5)),
                         "state": state}, index=stamps)


def downsample(raw, rule="1min"):
    steps = raw.resample(rule).mean()  # guilty
    steps["trend"] = steps["current"].diff().fillna(0.0)
    steps["spread"] = steps["vibration"].rolling(5, min_periods=1).max()
    return steps
