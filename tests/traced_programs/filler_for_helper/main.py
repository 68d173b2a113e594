"""LG202: a helper that fills up sequences is told to do so with -1 for labels."""

import random

import numpy as np
import torch
from torch import nn

random.seed(0)
calls = [[random.randrange(1, 9) for _ in range(random.randint(2, 7))] for _ in range(60)]


def rectangle(rows, filler):
    table = np.full((len(rows), max(map(len, rows))), filler, dtype=np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return torch.from_numpy(table)


notes = rectangle(calls, 0)
birds = rectangle([[note % 3 for note in call] for call in calls], -1)  # guilty
model = nn.Sequential(nn.Embedding(9, 8), nn.Linear(8, 3))
for start in range(0, 60, 20):
    scores = model(notes[start : start + 20])
    nn.functional.cross_entropy(scores.flatten(0, 1), birds[start : start + 20].flatten()).backward()
