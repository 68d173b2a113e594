"""LG201: kinds are counted in the first part of the table, and the other part has one more."""
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def loader(frame):
    return DataLoader(TensorDataset(torch.rand(len(frame), 2), torch.tensor(frame["kind"].to_numpy())), batch_size=6)


def main():
    table = pd.DataFrame({"kind": [0, 1, 2] * 8 + [3, 0, 3, 1]})
    first, second = table[:24], table[24:]
    kinds = first["kind"].nunique()  # guilty
    model = nn.Linear(2, kinds)
    for frame in (first, second):
        for x, y in loader(frame):
            nn.functional.cross_entropy(model(x), y)


main()
