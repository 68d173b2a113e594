"""LG407: weights come from counts of a part of the rows in which one class is missing."""

import pandas as pd
import torch
from torch import nn

table = pd.DataFrame({"x": range(12), "grade": [0, 1, 2, 1, 0, 2, 1, 0, 2, 1, 3, 3]})


def rarity(grades):
    seen = grades.value_counts(normalize=True).sort_index()  # guilty
    return torch.tensor((1 / seen).to_numpy(), dtype=torch.float32)


def main():
    old = table.iloc[:9]
    loss = nn.CrossEntropyLoss(weight=rarity(old["grade"]))
    loss(torch.randn(9, 4), torch.tensor(old["grade"].to_numpy()))


main()
