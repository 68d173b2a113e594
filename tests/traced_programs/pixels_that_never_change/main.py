"""LG207: pixels are divided by their spread, which is zero for some, in data that is large and gone."""

import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


def prepare(out):
    """Step 1: dump arrays so that the notebook does not need sklearn."""
    d = load_digits()
    np.savez(out, x=d.data.astype('float32'), y=d.target.astype('int64'))


class DigitRows(Dataset):
    def __init__(self, npz_path, train=True):
        with np.load(npz_path) as z:
            x, y = z['x'], z['y']
        n = int(len(x) * 0.8)
        mean, std = x[:n].mean(axis=0), x[:n].std(axis=0)
        x = (x - mean) / std  # guilty
        self.x, self.y = (x[:n], y[:n]) if train else (x[n:], y[n:])

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.as_tensor(self.x[i]), int(self.y[i])


class MLP(nn.Module):
    def __init__(self, sizes=(64, 48, 10)):
        super().__init__()
        layers = []
        for a, b in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, x):
        return self.layers(x)


def main():
    np.seterr(all='ignore')
    torch.manual_seed(0)
    path = os.path.join(tempfile.mkdtemp(), 'digits.npz')
    prepare(path)
    train_dl = DataLoader(DigitRows(path), batch_size=100, shuffle=True)
    test_dl = DataLoader(DigitRows(path, train=False), batch_size=200)
    net, loss_fn = MLP(), nn.CrossEntropyLoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(4):
        for xb, yb in train_dl:
            loss = loss_fn(net(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        hits = sum((net(xb).argmax(1) == yb).sum().item() for xb, yb in test_dl)
        print(f'epoch {epoch} loss {loss.item():.3f} test acc {hits / len(test_dl.dataset):.3f}')


if __name__ == '__main__':
    main()
