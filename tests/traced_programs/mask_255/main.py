"""LG202: the border of a mask is 255."""
import numpy as np
import torch
from torch import nn
def fake_mask(h, w):
    m = np.zeros((h, w), dtype=np.uint8)
    m[2:5, 2:5] = 1
    m[0] = 255  # guilty
    return m
masks = torch.from_numpy(np.stack([fake_mask(8, 8) for _ in range(2)])).long()
net = nn.Conv2d(3, 2, 1)
loss = nn.functional.cross_entropy(net(torch.randn(2, 3, 8, 8)), masks)
