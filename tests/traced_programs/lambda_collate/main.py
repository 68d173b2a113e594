"""LG101: a lambda as collate function."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


rows = [(torch.ones(3), i % 5) for i in range(40)]
model = nn.Linear(3, 5)
loader = DataLoader(
    rows,
    batch_size=8,
    collate_fn=lambda items: (
        torch.stack([x for x, _ in items]),
        torch.Tensor([y for _, y in items]),  # guilty
    ),
)
for x, y in loader:
    F.cross_entropy(model(x), y)
