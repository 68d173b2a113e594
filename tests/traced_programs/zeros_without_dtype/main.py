"""LG105: an array is made without a dtype, beside others that have the right one."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class SurvivalBatch:
    x: torch.Tensor
    event_in: torch.Tensor
    at_risk: torch.Tensor


class Cohort:
    def __init__(self, n=600, n_bins=8, seed=0):
        rng = np.random.default_rng(seed)
        self.n_bins = n_bins
        self.x = rng.normal(size=(n, 5)).astype(np.float32)
        rate = np.exp(0.6 * self.x[:, 0] - 0.4 * self.x[:, 1] - 1.5)
        time = rng.exponential(1 / rate)
        censor = rng.uniform(0.5, 8, n)
        self.event = (time <= censor).astype(np.float32)
        self.bin = np.clip(np.floor(np.minimum(time, censor)), 0, n_bins - 1).astype(int)

    def __len__(self):
        return len(self.bin)

    def event_matrix(self, idx):
        out = np.zeros((len(idx), self.n_bins))  # guilty
        out[np.arange(len(idx)), self.bin[idx]] = self.event[idx]
        return out

    def risk_matrix(self, idx):
        grid = np.arange(self.n_bins)[None, :]
        return np.where(grid <= self.bin[idx][:, None], 1.0, 0.0).astype(np.float32)

    def batches(self, size, rng):
        order = rng.permutation(len(self))
        for s in range(0, len(order), size):
            idx = order[s:s + size]
            yield SurvivalBatch(torch.from_numpy(self.x[idx]), torch.from_numpy(self.event_matrix(idx)),
                                torch.from_numpy(self.risk_matrix(idx)))


class HazardNet(nn.Module):
    def __init__(self, n_in, n_bins):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 32), nn.SELU(), nn.Linear(32, n_bins))

    def forward(self, x):
        return torch.sigmoid(self.net(x))


class SurvivalTrainer:
    def __init__(self, cohort, lr=4e-3):
        self.cohort = cohort
        self.net = HazardNet(cohort.x.shape[1], cohort.n_bins)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.rng = np.random.default_rng(1)

    def step(self, b: SurvivalBatch):
        hazard = self.net(b.x)
        loss = F.binary_cross_entropy(hazard, b.event_in, weight=b.at_risk)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def fit(self, epochs):
        for epoch in range(epochs):
            losses = [self.step(b) for b in self.cohort.batches(64, self.rng)]
            print(f"epoch {epoch} nll {np.mean(losses):.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    SurvivalTrainer(Cohort()).fit(3)
