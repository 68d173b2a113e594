"""LG404: permute puts the classes last."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 6, 1))

    def forward(self, images):
        scores = self.body(images)
        return scores.permute(0, 2, 3, 1)  # guilty


net = Segmenter()
masks = torch.arange(4 * 16).reshape(4, 4, 4) % 6
for images, mask in DataLoader(TensorDataset(torch.rand(4, 3, 4, 4), masks), batch_size=2):
    F.cross_entropy(net(images), mask)
