"""LG202: of two sets of tensors that are put one after the other, the second marks what is not known."""
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset


def guessed(points, limit=0.3):
    group = (points[:, 0] > 0).long() + (points[:, 1] > 0).long()
    unsure = points.abs().min(dim=1).values < limit
    return points, group.masked_fill(unsure, -1)  # guilty


torch.manual_seed(0)
points = torch.randn(40, 2)
sure = points, (points[:, 0] > 0).long() + (points[:, 1] > 0).long()
both = ConcatDataset([TensorDataset(*sure), TensorDataset(*guessed(torch.randn(60, 2)))])
net = nn.Linear(2, 3)
for x, y in DataLoader(both, batch_size=20):
    nn.functional.cross_entropy(net(x), y).backward()
