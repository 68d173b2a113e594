"""LG405: each is scored with each."""
import torch
import torch.nn.functional as F
from torch import nn
class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k = nn.Linear(8, 8), nn.Linear(8, 8)
    def forward(self, a, b):
        return torch.einsum("bd,cd->bc", self.q(a), self.k(b))  # guilty
net = Scorer()
a, b = torch.randn(6, 8), torch.randn(6, 8)
y = torch.ones(6)
loss = F.binary_cross_entropy_with_logits(net(a, b), y)
