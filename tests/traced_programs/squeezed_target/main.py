"""LG405: the scores of a regression lose their axis."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Regression(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        out = self.layer(x)
        return out.mean(dim=1)  # guilty


model = Regression()
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), torch.rand(8, 2)), batch_size=4):
    F.binary_cross_entropy_with_logits(model(x), y)
