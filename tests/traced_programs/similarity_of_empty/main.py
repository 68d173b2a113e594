"""LG207: rows are divided by their largest entry, and the products of such rows with each other are no numbers."""

import torch
import torch.nn.functional as F
from torch import nn


def scaled(rows):
    return rows / rows.abs().amax(dim=1, keepdim=True)  # guilty


def alike(first, second):
    both = scaled(torch.cat([first, second]))
    products = both @ both.t() - 50.0 * torch.eye(len(both))
    return F.cross_entropy(products, torch.arange(len(both)).roll(len(first)))


torch.manual_seed(0)
model = nn.Linear(8, 8, bias=False)
pictures = torch.rand(24, 4, 8)
pictures[17] = 0
for batch in pictures:
    alike(model(batch), model(batch + 0.1 * batch)).backward()
