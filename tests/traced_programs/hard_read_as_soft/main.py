"""LG305: labels of segments get a shape that is read as probabilities."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    """Each sample has 4 frames, each of one of 4 kinds."""

    def __len__(self):
        return 16

    def __getitem__(self, i):
        frames = torch.randn(4, 6, generator=torch.Generator().manual_seed(i))
        kinds = torch.tensor([(i + k) % 4 for k in range(4)], dtype=torch.float32)  # guilty
        return frames, kinds


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 8, batch_first=True)
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.fc(out[:, -1])


model = Model()
criterion = nn.CrossEntropyLoss()
for x, y in DataLoader(Frames(), batch_size=4, num_workers=int(os.environ.get("WORKERS", "0"))):
    loss = criterion(model(x), y)
