"""LG405: the mask is cropped and the scores are not."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def crop(mask, margin):
    return mask[:, margin:-margin, margin:-margin]  # guilty


net = nn.Conv2d(3, 4, 3, padding=1)
masks = torch.arange(2 * 36).reshape(2, 6, 6) % 4
for images, mask in DataLoader(TensorDataset(torch.rand(2, 3, 6, 6), masks), batch_size=2):
    cropped = crop(mask, 1)
    F.cross_entropy(net(images), cropped)
