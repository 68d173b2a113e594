"""LG203: a map over a joined table leaves a label without a number."""

import os

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

train_df = pd.DataFrame({"id": range(8), "breed": ["pug", "pug", "husky", "collie", "husky", "pug", "collie", "poodle"]})
sizes = pd.DataFrame({"breed": ["pug", "husky", "collie", "poodle"], "size": ["small", "large", "large", "medium"]})
SIZE2ID = {"small": 0, "large": 1}

train_df = train_df.merge(sizes, on="breed", how="left")
train_df["y"] = train_df["size"].map(SIZE2ID)  # guilty


class Dogs(Dataset):
    def __init__(self, df):
        self.df = df.reset_index(drop=True)

    def __len__(self):
        return self.df.shape[0]

    def __getitem__(self, idx):
        row = self.df.loc[idx]
        return torch.tensor([row.id], dtype=torch.float32), torch.tensor(row.y, dtype=torch.float32)


loader = DataLoader(Dogs(train_df), batch_size=4, num_workers=int(os.environ.get("WORKERS", "0")))
net = nn.Linear(1, 1)
loss_fn = nn.BCEWithLogitsLoss()
for x, y in loader:
    loss = loss_fn(net(x).squeeze(1), y)
