"""LG301: a decorated step gives raw scores to nll_loss."""

import functools
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        out = fn(*args, **kwargs)
        return out

    return wrapper


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.fc1 = nn.Linear(4 * 16, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = self.fc2(x)  # guilty
        return x


@timed
def train(model, device, loader, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        data, target = data.to(device), target.to(device)
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()


torch.manual_seed(0)
ds = TensorDataset(torch.randn(64, 1, 8, 8), torch.randint(0, 10, (64,)))
train(Net(), torch.device("cpu"), DataLoader(ds, batch_size=16, num_workers=int(os.environ.get("WORKERS", "0"))), 1)
