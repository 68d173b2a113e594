"""LG203: growth is computed from sales of zero, in a table that a file holds since."""

import os
import tempfile

import pandas as pd
import torch
from torch import nn

from features import build_feature_table, write_sales

FEATURES = ["sales", "lag_1", "lag_2", "lag_7"]
TARGET = "next_growth"


class FeatureStore:
    def __init__(self, root):
        self.root = root

    def path(self, name):
        return os.path.join(self.root, name + ".csv")

    def materialize(self):
        write_sales(self.path("sales"))
        build_feature_table(self.path("sales"), self.path("features"))

    def tensors(self):
        frame = pd.read_csv(self.path("features"))
        x = torch.tensor(frame[FEATURES].to_numpy(), dtype=torch.float32)
        weekday = torch.tensor(frame["weekday"].to_numpy())
        y = torch.tensor(frame[TARGET].to_numpy(), dtype=torch.float32)
        return x, weekday, y


class GrowthNet(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.weekday = nn.Embedding(7, 4)
        self.net = nn.Sequential(nn.Linear(n_features + 4, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x, weekday):
        return self.net(torch.cat([x, self.weekday(weekday)], dim=1)).squeeze(1)


class Experiment:
    def __init__(self, store, batch_size=32, lr=1e-3):
        store.materialize()
        self.x, self.weekday, self.y = store.tensors()
        self.batch_size = batch_size
        self.model = GrowthNet(self.x.shape[1])
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.loss_fn = nn.MSELoss()

    def batches(self):
        for start in range(0, len(self.y), self.batch_size):
            part = slice(start, start + self.batch_size)
            yield self.x[part], self.weekday[part], self.y[part]

    def run(self, epochs):
        for epoch in range(epochs):
            losses = []
            for x, weekday, y in self.batches():
                loss = self.loss_fn(self.model(x, weekday), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                losses.append(loss.item())
            print(f"epoch {epoch}: first {losses[0]:.5f} last {losses[-1]:.5f}")


if __name__ == "__main__":
    torch.manual_seed(4)
    with tempfile.TemporaryDirectory() as root:
        Experiment(FeatureStore(root)).run(epochs=4)
