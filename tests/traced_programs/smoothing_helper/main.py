"""LG304: smoothing in a helper module forgets to take away what it gives."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from smoothing import LabelSmoother

torch.manual_seed(0)
x, y = torch.randn(24, 5), torch.randint(0, 4, (24,))
loader = DataLoader(TensorDataset(x, y), batch_size=6, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))
smooth = LabelSmoother(num_classes=4, eps=0.1)
model = nn.Linear(5, 4)
criterion = nn.CrossEntropyLoss()
for inputs, labels in loader:
    soft = smooth(labels)
    loss = criterion(model(inputs), soft)
