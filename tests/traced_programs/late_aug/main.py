"""LG201: an augmentation adds to a label, seldom."""
import random
import torch
import torch.nn.functional as F
from torch import nn
random.seed(0)
def jitter(label, n):
    if random.random() < 0.02:
        label = label + n  # guilty
    return label
def batch(step, n=4):
    xs = torch.randn(8, 3)
    ys = torch.tensor([jitter(i % n, n) for i in range(8)])
    return xs, ys
net = nn.Linear(3, 4)
for step in range(60):
    x, y = batch(step)
    loss = F.cross_entropy(net(x), y)
