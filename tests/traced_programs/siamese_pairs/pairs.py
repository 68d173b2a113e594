import os
import random

import torch
from torch.utils.data import DataLoader, Dataset


class SpeakerPairs(Dataset):
    """Every second item is a pair from the same speaker."""

    def __init__(self, speakers=8, per_speaker=12, dim=30):
        g = torch.Generator().manual_seed(0)
        voices = torch.randn(speakers, 1, dim, generator=g)
        self.clips = voices + 0.6 * torch.randn(speakers, per_speaker, dim, generator=g)
        self.rng = random.Random(0)

    def __len__(self):
        return self.clips.shape[0] * self.clips.shape[1]

    def __getitem__(self, i):
        speakers, per_speaker, _ = self.clips.shape
        a = i % speakers
        b = a if i % 2 == 0 else self.rng.choice([s for s in range(speakers) if s != a])
        left = self.clips[a, self.rng.randrange(per_speaker)]
        right = self.clips[b, self.rng.randrange(per_speaker)]
        same = torch.tensor(float(a == b))  # guilty
        return left, right, same


def make_loader(batch_size):
    return DataLoader(SpeakerPairs(), batch_size=batch_size, num_workers=int(os.environ.get("WORKERS", "0")))
