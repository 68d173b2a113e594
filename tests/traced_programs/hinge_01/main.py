"""LG212: zeros and ones for a loss of signs."""
import torch
import torch.nn.functional as F
from torch import nn
def labels(scores, cut=0.0):
    return (scores > cut).float()  # guilty
x = torch.randn(20, 4)
y = labels(x.sum(1))
loss = F.soft_margin_loss(nn.Linear(4, 1)(x).squeeze(1), y)
