"""LG206: the product of two embeddings is summed up, and no sigmoid follows."""

import torch
from torch import nn


class Factors(nn.Module):
    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(50, 8), nn.Embedding(60, 8)

    def forward(self, user, item):
        p = self.users(user)
        q = self.items(item)
        return (p * q).sum(dim=1)  # guilty


torch.manual_seed(0)
model, criterion = Factors(), nn.BCELoss()
user, item = torch.randint(0, 50, (32,)), torch.randint(0, 60, (32,))
criterion(model(user, item), torch.ones(32))
