"""LG303: a head is chosen from a registry by a setting of a file."""

import json
import os
import sys
import tempfile

import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

from registry import HEADS, LOSSES

EXPERIMENT = {
    "seed": 12,
    "hidden": 32,
    "head": "prob",
    "loss": {"name": "ce", "label_smoothing": 0.02},
    "lr": 0.01,
    "epochs": 40,
}


class Experiment:
    def __init__(self, path):
        with open(path) as f:
            self.cfg = json.load(f)
        torch.manual_seed(self.cfg["seed"])
        self.load_data()
        self.build()

    def load_data(self):
        x, y = load_wine(return_X_y=True)
        xt, xv, yt, yv = train_test_split(x, y, test_size=0.25, stratify=y, random_state=0)
        scaler = StandardScaler().fit(xt)
        to = lambda a: torch.tensor(scaler.transform(a), dtype=torch.float32)
        self.train, self.valid = (to(xt), torch.tensor(yt)), (to(xv), torch.tensor(yv))

    def build(self):
        c = self.cfg
        trunk = nn.Sequential(nn.Linear(13, c["hidden"]), nn.ReLU())
        self.model = nn.Sequential(trunk, HEADS[c["head"]](c["hidden"], 3))
        spec = dict(c["loss"])
        self.criterion = LOSSES[spec.pop("name")](**spec)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=c["lr"], momentum=0.9)

    def run(self):
        x, y = self.train
        for epoch in range(self.cfg["epochs"]):
            for idx in torch.randperm(len(x)).split(32):
                loss = self.criterion(self.model(x[idx]), y[idx])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            if epoch % 10 == 9:
                xv, yv = self.valid
                with torch.no_grad():
                    acc = (self.model(xv).argmax(1) == yv).float().mean()
                print(f"epoch {epoch + 1} loss {loss.item():.4f} valid acc {acc:.3f}")


if __name__ == "__main__":
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(tempfile.mkdtemp(), "exp.json")
    if not os.path.exists(path):
        json.dump(EXPERIMENT, open(path, "w"))
    Experiment(path).run()
