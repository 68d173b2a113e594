"""LG302: the activation is chosen by a table of settings, and the loss wants its logarithm."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CONFIG = {"hidden": 8, "out": 3, "activation": "softmax", "lr": 0.1}
ACTIVATIONS = {"softmax": nn.Softmax(dim=1), "log": nn.LogSoftmax(dim=1)}


def build_model(config):
    layers = [nn.Linear(4, config["hidden"]), nn.Tanh(), nn.Linear(config["hidden"], config["out"])]
    layers.append(ACTIVATIONS[config["activation"]])  # guilty
    return nn.Sequential(*layers)


torch.manual_seed(0)
ds = TensorDataset(torch.randn(32, 4), torch.randint(0, 3, (32,)))
model = build_model(CONFIG)
criterion = nn.NLLLoss()
opt = torch.optim.SGD(model.parameters(), lr=CONFIG["lr"])
for x, y in DataLoader(ds, batch_size=8, num_workers=int(os.environ.get("WORKERS", "0"))):
    opt.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    opt.step()
