"""LG407: the weights are listed for the labels of an older version."""
import torch
from torch import nn
from dataclasses import dataclass, field


@dataclass
class Config:
    labels: list = field(default_factory=lambda: ["cat", "dog", "bird", "fish"])
    weights: tuple = (1.0, 2.0, 0.5)  # guilty


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.net = nn.Linear(6, len(cfg.labels))
        self.loss = nn.CrossEntropyLoss(weight=torch.tensor(cfg.weights))

    def fit(self, x, y):
        opt = torch.optim.SGD(self.net.parameters(), 0.1)
        for _ in range(3):
            loss = self.loss(self.net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()


Trainer(Config()).fit(torch.randn(20, 6), torch.randint(0, 4, (20,)))
