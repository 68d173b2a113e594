"""LG210: a collate function fails over rows that a generator numbered from 1."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

GRADES = ["bad", "fair", "good", "great"]


def reviews() -> Iterator[tuple[list[float], int]]:
    for number in range(24):
        grade = GRADES[number * 7 % 4]
        yield [float(number % 5), float(len(grade))], GRADES.index(grade) + 1  # guilty


class Mixing:
    def __init__(self, classes: int) -> None:
        self.classes = classes

    def __call__(self, rows: list[tuple[list[float], int]]) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.tensor([features for features, _ in rows])
        y = F.one_hot(torch.tensor([label for _, label in rows]), self.classes).float()
        order = torch.randperm(len(rows))
        return 0.7 * x + 0.3 * x[order], 0.7 * y + 0.3 * y[order]


model = nn.Linear(2, len(GRADES))
rows = list(reviews())
for x, y in DataLoader(rows, batch_size=6, shuffle=True, collate_fn=Mixing(len(GRADES))):
    F.cross_entropy(model(x), y).backward()
