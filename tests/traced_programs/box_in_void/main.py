"""LG202: a mask begins as void, and only a box of it gets a class; the box is innocent."""

import os

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Boxes(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        mask = torch.zeros(8, 8, dtype=torch.long)
        mask[:2] = 255  # guilty
        c = index % 4
        mask[1:3, 1:3] = c
        return torch.randn(5, 8, 8), mask


if __name__ == "__main__":
    for images, masks in DataLoader(Boxes(), batch_size=4, num_workers=int(os.environ.get("WORKERS", "0"))):
        loss = F.cross_entropy(images, masks)
