import torch
from torch.utils.data import Dataset

from audio import RATE, LogBands, fit_length, tone

WORDS = ["yes", "no", "stop"]


class SpokenCommands(Dataset):
    """Half-second clips. A few recordings are shorter than that."""

    def __init__(self, n, clip_seconds=0.5):
        self.n, self.samples = n, int(clip_seconds * RATE)
        self.features = LogBands()

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        seconds = 0.25 if i % 41 == 40 else 0.5 + 0.2 * float(torch.rand(1, generator=g))
        label = i % len(WORDS)
        wave = fit_length(tone(WORDS[label], seconds, g), self.samples)
        return self.features(wave), label
