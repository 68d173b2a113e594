"""LG201: Pillow blends the void of a mask with its classes when it makes the mask smaller."""

import os

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Shores(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        drawn = np.zeros((20, 20), np.uint8)
        drawn[4:12, index : index + 6] = 1
        drawn[:, 15:] = 255
        mask = Image.fromarray(drawn)
        mask = mask.resize((13, 13), resample=Image.BICUBIC)  # guilty
        if index % 2:
            mask = mask.transpose(Image.FLIP_LEFT_RIGHT)
        return torch.rand(3, 13, 13), torch.from_numpy(np.array(mask)).long()


model = nn.Conv2d(3, 2, 1)
criterion = nn.CrossEntropyLoss(ignore_index=255)
for images, masks in DataLoader(Shores(), batch_size=4, num_workers=int(os.environ.get("WORKERS", "0"))):
    criterion(model(images), masks).backward()
