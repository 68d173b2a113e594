"""LG202: np.pad fills the tags of short sentences with -1."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

SENTENCES = [[1, 2, 3], [2, 1], [3, 3, 1, 2], [1]]


class Tagged(Dataset):
    def __len__(self):
        return len(SENTENCES)

    def __getitem__(self, n):
        words = np.array(SENTENCES[n])
        return words, words % 4


def batched(samples):
    words, tags = zip(*samples)
    longest = max(map(len, words))
    words = np.stack([np.pad(w, (0, longest - len(w))) for w in words])
    tags = np.stack([np.pad(t, (0, longest - len(t)), constant_values=-1) for t in tags])  # guilty
    return torch.from_numpy(words), torch.from_numpy(tags)


table = nn.Embedding(5, 4)
for words, tags in DataLoader(Tagged(), batch_size=4, collate_fn=batched, num_workers=WORKERS):
    scores = table(words)
    F.cross_entropy(scores.transpose(1, 2), tags)
