import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, rows: int, dim: int):
        super().__init__()
        self.table = nn.Embedding(rows, dim)
        self.bias = nn.Embedding(rows, 1)
        nn.init.normal_(self.table.weight, std=0.05)
        nn.init.zeros_(self.bias.weight)

    def forward(self, ids):
        return self.table(ids), self.bias(ids).squeeze(-1)


class TwoTower(nn.Module):
    def __init__(self, info, dim: int = 16):
        super().__init__()
        self.user = Tower(info.n_users, dim)
        self.item = Tower(info.n_items, dim)
        self.mu = nn.Parameter(torch.zeros(()))

    def forward(self, user, item):
        u, bu = self.user(user)
        v, bv = self.item(item)
        return (u * v).sum(-1) + bu + bv + self.mu
