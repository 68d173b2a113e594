"""LG207: a cosine a hair above one, and the root of what is left, in a head of a margin loss."""

import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, prototypes):
        super().__init__()
        self.weight = nn.Parameter(prototypes)

    def forward(self, emb, labels):
        cosine = 1.001 * F.linear(F.normalize(emb), F.normalize(self.weight))
        sine = torch.sqrt(1.0 - cosine.pow(2))  # guilty
        phi = cosine * 0.95 - sine * 0.3
        one_hot = F.one_hot(labels, cosine.size(1)).bool()
        return 16.0 * torch.where(one_hot, phi, cosine)


torch.manual_seed(17)
prototypes = torch.randn(12, 32)
adapter = nn.Linear(32, 32, bias=False)
nn.init.eye_(adapter.weight)
head = Head(prototypes.clone())
y = torch.arange(12)
logits = head(adapter(prototypes), y)
F.cross_entropy(logits, y)
