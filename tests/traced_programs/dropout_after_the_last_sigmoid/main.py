"""LG206: a dropout comes after the sigmoid, and makes some probabilities larger than 1."""

import torch
from torch import nn

WIDTHS = [6, 12, 1]


def built(widths, rate):
    parts = []
    for number, (before, after) in enumerate(zip(widths, widths[1:])):
        parts.append(nn.Linear(before, after))
        parts.append(nn.Sigmoid() if number == len(widths) - 2 else nn.ReLU())
        parts.append(nn.Dropout(rate))  # guilty
    return nn.Sequential(*parts)


torch.manual_seed(3)
model, criterion = built(WIDTHS, 0.5), nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(30):
    x = torch.randn(64, 6)
    y = (x[:, :1] > 0).float()
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
