"""LG204: states of a machine are averaged with what it measures; the program cuts windows of them."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from machine import STATES, downsample, read_plc
from windows import SIGNALS, cut_windows


def collate(windows):
    signal = torch.from_numpy(np.stack([window.signal for window in windows]))
    state = torch.from_numpy(np.array([window.state for window in windows]))
    return signal, state


class ConvNet(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Conv1d(channels, 16, 3, padding=1), nn.ReLU(),
                                      nn.Conv1d(16, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool1d(1))
        self.head = nn.Linear(16, classes)

    def forward(self, signal):
        return self.head(self.features(signal).flatten(1))


def main():
    torch.manual_seed(0)
    windows = cut_windows(downsample(read_plc()))
    split = int(0.8 * len(windows))
    train = DataLoader(windows[:split], batch_size=64, shuffle=True, collate_fn=collate)
    model = ConvNet(len(SIGNALS), len(STATES))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(2):
        for signal, state in train:
            optimizer.zero_grad()
            loss = criterion(model(signal), state)
            loss.backward()
            optimizer.step()
        print("epoch", epoch, loss.item())


if __name__ == "__main__":
    main()
