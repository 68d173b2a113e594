import numpy as np


def to_rate(values: np.ndarray, seconds: float, rate: float) -> np.ndarray:
    """Bring a channel recorded at any rate onto the common time grid."""
    src = np.linspace(0, seconds, num=len(values), endpoint=False)
    dst = np.arange(0, seconds, 1 / rate)
    return np.interp(dst, src, values)  # guilty


def load_night(npz_path, rate: float):
    night = np.load(npz_path)
    seconds = float(night["seconds"])
    signals = np.stack([to_rate(night[k], seconds, rate) for k in ("eeg", "eog")])
    stages = to_rate(night["hypnogram"], seconds, rate)
    return signals.astype(np.float32), stages
