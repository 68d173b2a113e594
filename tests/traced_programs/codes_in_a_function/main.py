"""LG201: the table is made in one function and used in another."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8


def table():
    return {name: i + 1 for i, name in enumerate(NAMES)}  # guilty


def encode(words, codes):
    return [codes[word] for word in words]


labels = torch.tensor(encode(names, table()))

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
