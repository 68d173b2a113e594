"""LG201: the number that marks padding does not fit into the bytes in which the labels are kept."""

import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

NOTHING = -7
KNOWN = ["c", "d", "e", "f", "g", "a"]


def store(count, path):
    rows = []
    for number in range(count):
        row = []
        for place in range(3 + number % 5):
            row.append(KNOWN[(number + place) % 6])
        rows.append(row)
    marks = np.full((len(rows), 8), NOTHING)
    for number, row in enumerate(rows):
        marks[number, : len(row)] = [KNOWN.index(each) for each in row]
    np.savez(path, marks=marks.astype("uint8"))  # guilty


def read(path):
    with np.load(path) as held:
        return torch.from_numpy(held["marks"]).long()


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "marks.npz")
        store(900, path)
        marks = read(path)
    model = torch.nn.Linear(5, 6)
    for x, y in DataLoader(TensorDataset(torch.rand(900, 8, 5), marks), batch_size=16):
        torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=NOTHING)


main()
