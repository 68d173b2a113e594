"""LG210: the largest number of a part of the data tells how many rows there are."""
import os
import tempfile

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def generate_ratings(path, n_users=80, n_items=150, n=3000):
    rng = np.random.default_rng(42)
    users = rng.integers(0, n_users, n)
    ts = np.sort(rng.integers(1_600_000_000, 1_610_000_000, n))
    # interactions in order of time
    limit = np.linspace(40, n_items, n).astype(int)
    items = (rng.random(n) * limit).astype(int)
    r = np.clip(np.round(3 + np.sin(users) + np.cos(items) + rng.normal(0, .5, n)), 1, 5)
    pd.DataFrame({"user": users, "item": items, "rating": r, "ts": ts}).to_csv(path, index=False)


def time_split(df, frac=0.85):
    df = df.sort_values("ts")
    cut = int(len(df) * frac)
    return df.iloc[:cut], df.iloc[cut:]


class Ratings(Dataset):
    def __init__(self, df):
        self.u = torch.tensor(df["user"].values)
        self.i = torch.tensor(df["item"].values)
        self.r = torch.tensor(df["rating"].values, dtype=torch.float32)

    def __len__(self):
        return len(self.r)

    def __getitem__(self, k):
        return self.u[k], self.i[k], self.r[k]


class MF(nn.Module):
    def __init__(self, n_users, n_items, k=16):
        super().__init__()
        self.P = nn.Embedding(n_users, k)
        self.Q = nn.Embedding(n_items, k)
        self.bu = nn.Embedding(n_users, 1)
        self.bi = nn.Embedding(n_items, 1)
        self.mu = nn.Parameter(torch.tensor(3.0))
        for e in (self.P, self.Q):
            nn.init.normal_(e.weight, std=0.1)

    def forward(self, u, i):
        dot = (self.P(u) * self.Q(i)).sum(-1)
        return self.mu + dot + self.bu(u).squeeze(-1) + self.bi(i).squeeze(-1)


if __name__ == "__main__":
    torch.manual_seed(0)
    csv = os.path.join(tempfile.mkdtemp(), "ratings.csv")
    generate_ratings(csv)
    df = pd.read_csv(csv)
    n_users = df["user"].max() + 1
    train_df, val_df = time_split(df)
    n_items = train_df["item"].max() + 1  # guilty

    model = MF(int(n_users), int(n_items))
    opt = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-5)
    mse = nn.MSELoss()
    train_dl = DataLoader(Ratings(train_df), batch_size=256, shuffle=True)
    val_dl = DataLoader(Ratings(val_df), batch_size=256)

    for epoch in range(4):
        model.train()
        for u, i, r in train_dl:
            opt.zero_grad()
            loss = mse(model(u, i), r)
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            val = sum(mse(model(u, i), r).item() * len(r) for u, i, r in val_dl) / len(val_df)
        print(f"epoch {epoch}: train mse {loss.item():.3f}  val rmse {val ** 0.5:.3f}")
