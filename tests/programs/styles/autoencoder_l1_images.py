"""Autoencoder l1 images."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
ae = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 3, 3, padding=1), nn.Sigmoid())
for _ in range(4):
    x = torch.rand(2, 3, 8, 8)
    loss = F.l1_loss(ae(x), x)
    loss.backward()
    print(loss.item())
