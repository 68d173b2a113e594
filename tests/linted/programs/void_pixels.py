"""LG202: pixels near a border are marked 255 in __getitem__."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Scenes(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        image = np.random.rand(3, 16, 16).astype("float32")
        mask = np.random.randint(0, 7, (16, 16))
        mask[:2] = 255
        return torch.from_numpy(image), torch.from_numpy(mask).long()


net, criterion = nn.Conv2d(3, 7, 1), nn.CrossEntropyLoss()
for image, mask in DataLoader(Scenes(), batch_size=2):
    criterion(net(image), mask).backward()  # LG202
