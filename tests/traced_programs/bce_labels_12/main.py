"""LG205: codes of words begin at 1."""
import torch
from torch import nn
def load():
    raw = ["cat", "dog", "dog", "cat"]
    codes = {"cat": 1, "dog": 2}  # guilty
    return torch.tensor([codes[r] for r in raw], dtype=torch.float32)
y = load()
net = nn.Linear(3, 1)
out = net(torch.randn(4, 3)).squeeze(1)
loss = nn.BCEWithLogitsLoss()(out, y)
