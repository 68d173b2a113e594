"""LG202: unlabelled pixels are marked with 255 in the dataset."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Masks(Dataset):
    def __init__(self):
        self.masks = torch.arange(40 * 16).reshape(40, 4, 4) % 5

    def __len__(self):
        return 40

    def __getitem__(self, index):
        mask = self.masks[index].clone()
        if index % 2:
            mask[0, :2] = 255  # guilty
        return torch.ones(3, 4, 4), mask


model = nn.Conv2d(3, 5, 1)
for images, masks in DataLoader(Masks(), batch_size=8, num_workers=WORKERS):
    loss = F.cross_entropy(model(images), masks)
