"""LG101: rows of a table with whole and real numbers are real as a whole."""

# Homework 3 - predict the age band of a shell from its measurements
import random
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = 7
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

here = Path(__file__).parent
df = pd.read_csv(here / "shells.csv")
print(df.describe().round(2))

feature_cols = ["length_mm", "width_mm", "height_mm", "whole_g", "meat_g"]
df[feature_cols] = (df[feature_cols] - df[feature_cols].mean()) / df[feature_cols].std()

# simple split, every 5th shell is for validation
val_mask = np.arange(len(df)) % 5 == 0
train_df = df[~val_mask].reset_index(drop=True)
val_df = df[val_mask].reset_index(drop=True)


def to_lists(frame):
    feats, bands = [], []
    for _, shell in frame.iterrows():  # guilty
        feats.append([shell[c] for c in feature_cols])
        bands.append(shell["rings_band"])
    return feats, bands


class ShellData(Dataset):
    def __init__(self, frame):
        feats, bands = to_lists(frame)
        self.x = torch.tensor(feats, dtype=torch.float32)
        self.y = torch.tensor(bands)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, idx):
        return self.x[idx], self.y[idx]


train_loader = DataLoader(ShellData(train_df), batch_size=24, shuffle=True)
val_loader = DataLoader(ShellData(val_df), batch_size=24)

n_bands = df["rings_band"].nunique()
model = nn.Sequential(
    nn.Linear(len(feature_cols), 32),
    nn.ReLU(),
    nn.Dropout(0.1),
    nn.Linear(32, 16),
    nn.ReLU(),
    nn.Linear(16, n_bands),
)
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(3):
    model.train()
    running = 0.0
    for xb, yb in train_loader:
        opt.zero_grad()
        out = model(xb)
        loss = loss_fn(out, yb)
        loss.backward()
        opt.step()
        running += loss.item() * len(xb)

    model.eval()
    correct = 0
    with torch.no_grad():
        for xb, yb in val_loader:
            correct += (model(xb).argmax(1) == yb).sum().item()
    print(f"epoch {epoch}: train loss {running / len(train_df):.4f}  val acc {correct / len(val_df):.3f}")
