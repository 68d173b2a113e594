"""LG201: ranks within a group count from 1."""

import os

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

races = pd.DataFrame({"race": [1, 1, 1, 2, 2, 2, 3, 3, 3], "time": [9.1, 9.0, 9.5, 8.0, 8.8, 8.3, 7.7, 7.9, 7.1]})


def prepare(df):
    df = df.assign(place=df.groupby("race")["time"].rank().astype("int64"))  # guilty
    return df.sort_values("time")


class Races(Dataset):
    def __init__(self, df):
        self.records = df.to_dict("records")

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        r = self.records[i]
        return torch.tensor([r["time"]], dtype=torch.float32), r["place"]


net = nn.Linear(1, 3)
for x, y in DataLoader(Races(prepare(races)), batch_size=3, num_workers=int(os.environ.get("WORKERS", "0"))):
    nn.CrossEntropyLoss()(net(x), y)
