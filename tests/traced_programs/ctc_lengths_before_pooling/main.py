"""LG408: the lengths are those before the time axis was halved."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 5)

    def forward(self, x):
        return self.layer(x[:, ::2]).log_softmax(2).transpose(0, 1)


x = torch.rand(3, 10, 6)
steps = torch.full((3,), x.size(1))  # guilty
targets = torch.randint(1, 5, (3, 2))
F.ctc_loss(Encoder()(x), targets, steps, torch.full((3,), 2))
