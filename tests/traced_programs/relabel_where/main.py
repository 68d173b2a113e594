"""LG202: np.where marks uncertain labels with -1, after a shuffle of the rows."""

import os

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

rng = np.random.default_rng(0)
df = pd.DataFrame({"x": rng.random(40), "confidence": np.linspace(0.2, 1, 40), "cls": np.arange(40) % 3})
df = df.sample(frac=1, random_state=1).reset_index(drop=True)
df["cls"] = np.where(df["confidence"] < 0.25, -1, df["cls"])  # guilty
folds = np.arange(len(df)) % 5
train_df = df[folds != 0].reset_index(drop=True)


class Frame(Dataset):
    def __init__(self, df):
        self.df = df
        self.labels = df["cls"].to_numpy()

    def __len__(self):
        return len(self.df)

    def __getitem__(self, i):
        return torch.tensor([self.df.iloc[i]["x"]], dtype=torch.float32), torch.tensor(self.labels[i])


net = nn.Linear(1, 3)
for x, y in DataLoader(Frame(train_df), batch_size=8, num_workers=int(os.environ.get("WORKERS", "0"))):
    nn.CrossEntropyLoss()(net(x), y)
