"""LG204: numbers of classes are interpolated."""

import os
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

from resample import load_night

STAGES = ["wake", "light", "deep", "rem"]


def write_night(path, seed, seconds=600):
    rng = np.random.default_rng(seed)
    hypnogram = np.repeat(rng.integers(0, len(STAGES), seconds // 30), 1)
    per_second = np.repeat(hypnogram, 30)
    freq = np.array([10.0, 5.0, 1.5, 7.0])[np.repeat(per_second, 32)]
    eeg = np.sin(2 * np.pi * np.cumsum(freq) / 32) + rng.normal(0, 0.2, len(freq))
    eog = np.repeat((per_second == 3).astype(float), 8) + rng.normal(0, 0.1, seconds * 8)
    np.savez(path, eeg=eeg, eog=eog, hypnogram=hypnogram, seconds=seconds)


class SleepEpochs(Dataset):
    def __init__(self, folder, rate=16, window=10):
        self.items = []
        step = rate * window
        for name in sorted(os.listdir(folder)):
            signals, stages = load_night(os.path.join(folder, name), rate)
            for s in range(0, signals.shape[1] - step + 1, step):
                self.items.append((torch.from_numpy(signals[:, s:s + step]), stages[s + step // 2]))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class StageNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 24, 17, stride=2)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(24, len(STAGES))

    def forward(self, x):
        return self.out(self.drop(F.relu(self.conv(x)).mean(-1)))


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(3):
            write_night(os.path.join(folder, f"night{k}.npz"), seed=k)
        data = SleepEpochs(folder)
    model = StageNet()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(4):
        for x, stage in DataLoader(data, batch_size=16, shuffle=True):
            loss = F.cross_entropy(model(x), stage)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
