"""LG207: a row that is masked as a whole gives NaN scores."""

import torch
import torch.nn.functional as F
from torch import nn


class Pooler(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.score = nn.Linear(dim, 1)
        self.out = nn.Linear(dim, classes)

    def forward(self, x, mask):
        scores = self.score(x).squeeze(-1)
        scores = scores.masked_fill(~mask, float("-inf"))  # guilty
        attn = scores.softmax(dim=-1)
        pooled = (attn.unsqueeze(-1) * x).sum(1)
        return self.out(pooled)


def make_batch():
    x = torch.ones(4, 5, 6)
    lengths = torch.tensor([5, 3, 0, 2])
    mask = torch.arange(5)[None, :] < lengths[:, None]
    return x, mask, torch.tensor([0, 1, 2, 0])


torch.manual_seed(0)
model = Pooler(6, 3)
x, mask, y = make_batch()
logits = model(x, mask)
loss = F.cross_entropy(logits, y)
