import numpy as np
import torch

FIELD_SIZES = [24, 7, 40, 12]


def impressions(n, seed=0):
    rng = np.random.default_rng(seed)
    fields = np.stack([rng.integers(0, s, n) for s in FIELD_SIZES], axis=1)
    effect = [rng.normal(0, 0.8, s) for s in FIELD_SIZES]
    score = sum(e[fields[:, k]] for k, e in enumerate(effect)) - 1.0
    clicks = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(np.float32)
    return torch.from_numpy(fields), torch.from_numpy(clicks)
