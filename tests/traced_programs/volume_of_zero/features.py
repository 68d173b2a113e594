import numpy as np

FEATURES = ["ret", "dvol", "range5"]


def add_features(group):
    group = group.sort_values("date").copy()
    group["ret"] = np.log(group["close"]).diff()
    group["dvol"] = np.log(group["volume"]).diff()  # guilty
    group["range5"] = group["close"].rolling(5).max() / group["close"].rolling(5).min() - 1
    group["fwd_ret"] = group["ret"].shift(-1)
    return group.iloc[4:-1]


def standardize(window):
    mean = window.mean(axis=0, keepdims=True)
    std = window.std(axis=0, keepdims=True)
    return (window - mean) / (std + 1e-6)
