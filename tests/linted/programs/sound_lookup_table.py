"""sound: a lookup table of numpy gives each raw number its class."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

TRAIN_IDS = {7: 0, 8: 1, 11: 2, 26: 3}


class City(Dataset):
    def __init__(self):
        self.lut = np.full(34, 255, dtype=np.int64)
        for k, v in TRAIN_IDS.items():
            self.lut[k] = v

    def __len__(self):
        return 6

    def __getitem__(self, i):
        raw = np.full((4, 4), 7, dtype=np.uint8)
        raw[0] = [8, 11, 26, 7]
        return torch.rand(3, 4, 4), torch.from_numpy(self.lut[raw])


net, criterion = nn.Conv2d(3, 4, 1), nn.CrossEntropyLoss()
for x, y in DataLoader(City(), batch_size=2):
    criterion(net(x), y)
