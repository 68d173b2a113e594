"""sound: a table of names has as many numbers as the head has outputs."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

NAMES = ["ant", "bee", "cat"]
CODES = {name: i for i, name in enumerate(NAMES)}


class Insects(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.rand(5), CODES[self.names[i]]


model = nn.Linear(5, len(CODES))
for x, y in DataLoader(Insects(["bee", "ant", "cat", "bee"]), batch_size=2):
    nn.functional.cross_entropy(model(x), y)
