"""Embedding bag text."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
bag = nn.EmbeddingBag(50, 8)
head = nn.Linear(8, 4)
for _ in range(4):
    text = torch.randint(50, (20,))
    off = torch.tensor([0, 4, 9, 15])
    loss = F.cross_entropy(head(bag(text, off)), torch.randint(4, (4,)))
    loss.backward()
    print(loss.item())
