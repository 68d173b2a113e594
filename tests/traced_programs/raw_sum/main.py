"""LG206: the sum of two terms is given to a loss of probabilities."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from fields import FIELD_SIZES, impressions


@dataclass
class CtrConfig:
    rank: int = 8
    epochs: int = 2
    batch: int = 256
    lr: float = 0.02


class FactorizationMachine(nn.Module):
    def __init__(self, field_sizes, rank):
        super().__init__()
        offsets = np.concatenate([[0], np.cumsum(field_sizes)[:-1]])
        self.register_buffer("offsets", torch.tensor(offsets))
        self.linear = nn.Embedding(sum(field_sizes), 1)
        self.factors = nn.Embedding(sum(field_sizes), rank)
        self.bias = nn.Parameter(torch.zeros(1))
        nn.init.zeros_(self.linear.weight)
        nn.init.normal_(self.factors.weight, std=0.05)

    def forward(self, fields):
        idx = fields + self.offsets
        first = self.linear(idx).sum(dim=(1, 2))
        v = self.factors(idx)
        second = 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(1)
        return self.bias + first + second  # guilty


class CtrTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = FactorizationMachine(FIELD_SIZES, cfg.rank)
        self.opt = torch.optim.Adagrad(self.model.parameters(), lr=cfg.lr)

    def step(self, fields, clicks):
        p_click = self.model(fields)
        loss = F.binary_cross_entropy(p_click, clicks)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def fit(self, fields, clicks):
        for epoch in range(self.cfg.epochs):
            order = torch.randperm(len(clicks))
            losses = [self.step(fields[p], clicks[p]) for p in order.split(self.cfg.batch)]
            print(f"epoch {epoch} logloss {np.mean(losses):.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    CtrTrainer(CtrConfig()).fit(*impressions(4000))
