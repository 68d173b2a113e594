"""LG205: masks of 0 and 255 are cast, not scaled."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Cells(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, i):
        image = torch.rand(1, 16, 16)
        mask = np.zeros((1, 16, 16), dtype=np.uint8)
        mask[:, 4:8, 4:8] = 255
        return image, torch.from_numpy(mask).float()


net = nn.Conv2d(1, 1, 3, padding=1)
for image, mask in DataLoader(Cells(), batch_size=5):
    nn.BCEWithLogitsLoss()(net(image), mask).backward()  # LG205
