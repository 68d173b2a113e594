"""LG201: a mask is resized smoothly, and what lies between the void and a class is cut to whole numbers afterwards."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Resize:
    def __call__(self, image, mask):
        image = F.interpolate(image[None], (8, 8))[0]
        mask = F.interpolate(mask[None, None].float(), (8, 8), mode="bilinear")  # guilty
        return image, mask[0, 0].long()


class Roads(Dataset):
    def __init__(self):
        self.transform = Resize()

    def __len__(self):
        return 8

    def __getitem__(self, index):
        mask = torch.zeros(5, 5, dtype=torch.long)
        mask[1:3] = 1
        mask[:, index % 5] = 255
        return self.transform(torch.rand(3, 5, 5), mask)


model = nn.Conv2d(3, 2, 1)
criterion = nn.CrossEntropyLoss(ignore_index=255)
for images, masks in DataLoader(Roads(), batch_size=4, num_workers=int(os.environ.get("WORKERS", "0"))):
    criterion(model(images), masks).backward()
