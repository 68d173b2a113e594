"""LG102: labels are made short before they are pickled, and are short when they are read."""
import os
import pickle
import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def prepare(file, n=60):
    rng = np.random.default_rng(1)
    species = rng.integers(0, 4, n)
    leaves = rng.normal(size=(n, 3)) + species[:, None]
    packed = {
        "leaves": leaves.astype(np.float32),
        "species": species.astype(np.int16),  # guilty
    }
    with open(file, "wb") as out:
        pickle.dump(packed, out)


def read(file):
    with open(file, "rb") as source:
        return pickle.load(source)


with tempfile.TemporaryDirectory() as folder:
    prepare(os.path.join(folder, "leaves.pkl"))
    table = read(os.path.join(folder, "leaves.pkl"))
data = TensorDataset(torch.from_numpy(table["leaves"]), torch.from_numpy(table["species"]))
net = nn.Sequential(nn.Linear(3, 4), nn.LogSoftmax(dim=1))
for leaves, species in DataLoader(data, batch_size=12):
    nn.functional.nll_loss(net(leaves), species).backward()
