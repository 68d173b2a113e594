"""LG104: a method compares."""
import torch
import torch.nn.functional as F
from torch import nn
class Toy:
    def __init__(self, n):
        self.x = torch.randn(n, 2)
        self.y = self.rule(self.x)
    def rule(self, x):
        return (x[:, 0] * x[:, 1] > 0)  # guilty
toy = Toy(10)
out = nn.Linear(2, 1)(toy.x).squeeze(1)
loss = F.binary_cross_entropy_with_logits(out, toy.y)
