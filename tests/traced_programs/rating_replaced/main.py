"""LG201: replace turns the words of a rating into numbers from 1."""

import os

import pandas as pd
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset

reviews = pd.DataFrame({"stars": [3, 1, 2, 2, 1, 3, 1, 2], "mood": ["good", "bad", "fair", "fair", "bad", "good", "bad", "fair"]})


def clean(df):
    df = df.copy()
    df["label"] = df["mood"].replace({"bad": "1", "fair": "2", "good": "3"}).astype(int)  # guilty
    return df.drop(columns=["mood"])


class ReviewDataset(Dataset):
    def __init__(self, df):
        self.x = df["stars"].to_numpy()
        self.y = df["label"].to_numpy()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.tensor([self.x[i]], dtype=torch.float), torch.tensor(self.y[i])


train = ReviewDataset(clean(reviews))
loader = DataLoader(train, batch_size=2, num_workers=int(os.environ.get("WORKERS", "0")))
model = nn.Linear(1, 3)
for x, y in loader:
    loss = nn.functional.cross_entropy(model(x), y)
