import numpy as np
import torch


class Mixup:
    def __init__(self, alpha=0.2, seed=0):
        self.alpha = alpha
        self.rng = np.random.default_rng(seed)

    def __call__(self, x, y):
        lam = float(self.rng.beta(self.alpha, self.alpha))
        perm = torch.randperm(x.size(0))
        mixed_x = lam * x + (1 - lam) * x[perm]
        mixed_y = lam * y + (1 - lam) * y[perm]  # guilty
        return mixed_x, mixed_y
