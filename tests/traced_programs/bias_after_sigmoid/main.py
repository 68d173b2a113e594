"""LG206: a weight is added to probabilities."""

from __future__ import annotations

import dataclasses

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass
class MFConfig:
    users: int = 60
    items: int = 90
    rank: int = 8
    negatives: int = 3
    lr: float = 0.02
    epochs: int = 12
    batch: int = 128


class ClickModel(nn.Module):
    def __init__(self, cfg: MFConfig):
        super().__init__()
        self.P = nn.Parameter(torch.randn(cfg.users, cfg.rank) * 0.3)
        self.Q = nn.Parameter(torch.randn(cfg.items, cfg.rank) * 0.3)
        self.item_bias = nn.Parameter(torch.zeros(cfg.items))

    def forward(self, u, i):
        affinity = (self.P[u] * self.Q[i]).sum(1)
        return torch.sigmoid(affinity) + self.item_bias[i]  # guilty


class NegativeSampler:
    def __init__(self, clicks, cfg, rng):
        self.clicks, self.cfg, self.rng = clicks, cfg, rng
        self.seen = set(map(tuple, clicks.tolist()))

    def epoch(self):
        users, items, labels = [], [], []
        for u, i in self.clicks:
            users.append(u), items.append(i), labels.append(1.0)
            for _ in range(self.cfg.negatives):
                j = int(self.rng.integers(self.cfg.items))
                if (u, j) not in self.seen:
                    users.append(u), items.append(j), labels.append(0.0)
        order = self.rng.permutation(len(users))
        u, i, y = np.array(users)[order], np.array(items)[order], np.array(labels, dtype=np.float32)[order]
        for s in range(0, len(u), self.cfg.batch):
            sl = slice(s, s + self.cfg.batch)
            yield torch.from_numpy(u[sl]), torch.from_numpy(i[sl]), torch.from_numpy(y[sl])


def simulate_clicks(cfg, rng):
    pop = rng.power(0.4, cfg.items)
    pop /= pop.sum()
    pairs = {(int(rng.integers(cfg.users)), int(rng.choice(cfg.items, p=pop))) for _ in range(1200)}
    return np.array(sorted(pairs))


def train(cfg: MFConfig):
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    sampler = NegativeSampler(simulate_clicks(cfg, rng), cfg, rng)
    model = ClickModel(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        history = []
        for u, i, y in sampler.epoch():
            p = model(u, i)
            loss = F.binary_cross_entropy(p, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            history.append(loss.item())
        print(f"epoch {epoch:2d} logloss {np.mean(history):.4f}")


if __name__ == "__main__":
    train(MFConfig())
