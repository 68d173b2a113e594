import numpy as np
import torch
def binarise(v, cut):
    return np.where(v > cut, 1.0, 0.0)  # guilty
def get(n):
    rng = np.random.default_rng(0)
    v = rng.normal(size=n)
    x = torch.tensor(rng.normal(size=(n, 3)), dtype=torch.float32)
    return x, torch.from_numpy(binarise(v, 0.0))
