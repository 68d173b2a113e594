"""LG406: values are combined each with each in a method under no_grad."""

import torch
import torch.nn.functional as F
from torch import nn


class Agent:
    def __init__(self):
        self.q, self.target, self.gamma = nn.Linear(4, 2), nn.Linear(4, 2), 0.9

    @torch.no_grad()
    def targets(self, reward, after, done):
        best = self.target(after).max(1, keepdim=True)[0]
        return reward + self.gamma * (1 - done) * best  # guilty

    def update(self, before, action, reward, after, done):
        q = self.q(before).gather(1, action[:, None])
        y = self.targets(reward, after, done)
        return F.mse_loss(q, y)


Agent().update(torch.randn(8, 4), torch.randint(0, 2, (8,)), torch.rand(8), torch.randn(8, 4), torch.zeros(8))
