"""LG201: words are numbered from 1."""
import torch
import torch.nn.functional as F
from torch import nn
words = "b a c a d".split()
ids = {w: i for i, w in enumerate(sorted(set(words)), start=1)}  # guilty
y = torch.tensor([ids[w] for w in words])
loss = F.cross_entropy(nn.Linear(2, 4)(torch.randn(5, 2)), y)
