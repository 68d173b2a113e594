"""LG201: the head is as large as an older task's settings in a file say, and the new one has more kinds."""
import json
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

KINDS = ["ash", "elm", "fir", "oak", "yew"]


class Leaves(Dataset):
    def __init__(self, names):
        self.number_of = {name: number for number, name in enumerate(sorted(set(names)))}
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return torch.rand(4), self.number_of[self.names[index]]


def saved(folder):
    path = os.path.join(folder, "settings.json")
    with open(path, "w") as file:
        json.dump({"width": 8, "kinds": 3}, file)
    return path


def older(path):
    with open(path) as file:
        settings = json.load(file)
    width, kinds = settings["width"], settings["kinds"]  # guilty
    return nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, kinds))


with tempfile.TemporaryDirectory() as folder:
    model = older(saved(folder))
for features, kind in DataLoader(Leaves(KINDS * 4), batch_size=10):
    nn.functional.cross_entropy(model(features), kind)
