"""LG401: the label map gets an axis for a channel, as the image has one."""

import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

NUM_CLASSES = 4


class LandCoverDataset(Dataset):
    """Tiles from one big raster."""

    def __init__(self, raster, labels, tile=16):
        self.raster, self.labels, self.tile = raster, labels, tile
        self.origins = [(r, c) for r in range(0, raster.shape[0], tile) for c in range(0, raster.shape[1], tile)]

    def __len__(self):
        return len(self.origins)

    def __getitem__(self, idx):
        r, c = self.origins[idx]
        window = np.s_[r:r + self.tile, c:c + self.tile]
        x = torch.from_numpy(self.raster[window]).float().unsqueeze(0)
        y = torch.from_numpy(self.labels[window]).long().unsqueeze(0)  # guilty
        return x, y


class FCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc1 = nn.Conv2d(1, 8, 3, padding=1)
        self.enc2 = nn.Conv2d(8, 16, 3, padding=1, stride=2)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.head = nn.Conv2d(8, NUM_CLASSES, 1)

    def forward(self, x):
        x = F.relu(self.enc1(x))
        x = F.relu(self.enc2(x))
        return self.head(F.relu(self.up(x)))


rng = np.random.default_rng(0)
labels = np.kron(rng.integers(0, NUM_CLASSES, (8, 8)), np.ones((8, 8), dtype=int))
raster = labels + rng.normal(0, 0.2, labels.shape)

model = FCN()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
ce = nn.CrossEntropyLoss()
loader = DataLoader(LandCoverDataset(raster, labels), batch_size=4, shuffle=True,
                    num_workers=int(os.environ.get("WORKERS", "0")))
for epoch in range(5):
    epoch_loss = 0.0
    for tiles, gt in loader:
        opt.zero_grad()
        loss = ce(model(tiles), gt)
        loss.backward()
        opt.step()
        epoch_loss += loss.item() * tiles.size(0)
    print("epoch:", epoch, "loss:", epoch_loss / len(loader.dataset))
