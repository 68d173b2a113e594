"""LG203: the last hours of each station have no later value, and a dict is made of the pairs that a method yields."""

import os

import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset


class Stations:
    def __init__(self, ahead):
        hours = np.arange(90)
        self.table = pd.DataFrame({"station": hours // 30, "level": np.sin(hours / 5)})
        later = self.table.groupby("station")["level"].shift(-ahead)  # guilty
        self.table["later"] = later

    def each(self):
        for name, rows in self.table.groupby("station"):
            yield int(name), rows[["level", "later"]].to_numpy(np.float32)


class Hours(Dataset):
    def __init__(self, stations):
        self.rows = dict(stations.each())
        self.places = [(name, place) for name, rows in self.rows.items() for place in range(len(rows))]

    def __len__(self):
        return len(self.places)

    def __getitem__(self, number):
        name, place = self.places[number]
        now, later = self.rows[name][place]
        return torch.tensor([now]), torch.tensor([later])


model = torch.nn.Linear(1, 1)
for x, y in DataLoader(Hours(Stations(2)), batch_size=45, num_workers=int(os.environ.get("WORKERS", "0"))):
    loss = torch.nn.functional.smooth_l1_loss(model(x), y)
