"""LG202: F.pad fills the tags of a window with -1 in a closure."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


def make_windowing(width, fill):
    def window(sequence):
        missing = width - len(sequence)
        if missing <= 0:
            return sequence[:width]
        return F.pad(sequence, (0, missing), value=fill)  # guilty

    return window


class Signals(Dataset):
    def __init__(self, lengths, window_x, window_y):
        self.lengths = lengths
        self.window_x, self.window_y = window_x, window_y

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        n = self.lengths[i]
        x = torch.linspace(0, 1, n)
        y = (x > 0.5).long()
        return self.window_x(x), self.window_y(y)


ds = Signals([8, 9, 8, 10, 5, 8], make_windowing(8, 0), make_windowing(8, -1))
model = nn.Conv1d(1, 2, 3, padding=1)
for x, y in DataLoader(ds, batch_size=3, num_workers=int(os.environ.get("WORKERS", "0"))):
    loss = F.cross_entropy(model(x[:, None]), y)
