"""LG203: a property is zero for equal numbers."""
import torch
import torch.nn.functional as F
from torch import nn
class Stats:
    def __init__(self, xs): self.xs = xs
    @property
    def var(self): return self.xs.var(unbiased=True)
    def scaled(self):
        return (self.xs - self.xs.mean()) / self.var  # guilty
y = Stats(torch.tensor([2.0, 2.0, 2.0])).scaled()
loss = F.mse_loss(nn.Linear(1, 1)(torch.ones(3, 1)).squeeze(1), y)
