"""LG101: a preparation step saves labels as floats with torch.save."""

import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def preprocess(folder):
    raw = [[0.1, 0.2, 1], [0.5, 0.1, 0], [0.4, 0.4, 2], [0.3, 0.9, 1]] * 6
    table = torch.tensor(raw)  # guilty
    torch.save({"x": table[:, :2], "y": table[:, 2]}, os.path.join(folder, "train.pt"))


class Trainer:
    def __init__(self, model, loader, lr=1e-2):
        self.model = model
        self.loader = loader
        self.loss_fn = nn.NLLLoss()
        self.optim = torch.optim.SGD(model.parameters(), lr=lr)

    def train_one_epoch(self):
        for x, y in self.loader:
            out = self.model(x)
            loss = self.loss_fn(out, y)
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()


folder = tempfile.mkdtemp()
preprocess(folder)
blob = torch.load(os.path.join(folder, "train.pt"))
dataset = TensorDataset(blob["x"], blob["y"])
train, valid = random_split(dataset, [20, 4], generator=torch.Generator().manual_seed(0))
loader = DataLoader(train, batch_size=5, num_workers=int(os.environ.get("WORKERS", "0")))
Trainer(nn.Sequential(nn.Linear(2, 3), nn.LogSoftmax(-1)), loader).train_one_epoch()
