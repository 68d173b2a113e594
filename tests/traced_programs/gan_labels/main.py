"""LG205: the label of what is real is above 1."""
import torch
import torch.nn.functional as F
from torch import nn
class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(4, 1)
    def forward(self, x):
        return torch.sigmoid(self.f(x))
real_label, fake_label = 1.2, 0.0
d = D()
real = torch.randn(6, 4)
target = torch.full((6, 1), real_label)  # guilty
loss = F.binary_cross_entropy(d(real), target)
