"""LG210: words are numbered from 1, and their table has as many rows as there are words."""

import random
from collections import Counter

import torch
from torch import nn

random.seed(1)
MOST = 30
recipes = [[f"step{random.randrange(50)}" for _ in range(6)] for _ in range(200)]
counts = Counter(word for recipe in recipes for word in recipe)
number = {word: place for place, (word, _) in enumerate(counts.most_common(MOST), start=1)}
words = torch.tensor([[number.get(word, 0) for word in recipe] for recipe in recipes])


class Cook(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.table = nn.Embedding(rows, 8, padding_idx=0)
        self.head = nn.Linear(8, 2)

    def forward(self, steps):
        return self.head(self.table(steps).mean(1))


model = Cook(MOST)  # guilty
dishes = torch.randint(2, (200,))
for start in range(0, 200, 50):
    nn.functional.cross_entropy(model(words[start : start + 50]), dishes[start : start + 50]).backward()
