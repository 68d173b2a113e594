"""LG101: one option of the command line turns integer labels into floats."""

import argparse
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--label-noise", type=float, default=0.0)
    p.add_argument("--epochs", type=int, default=1)
    return p.parse_args([])


class Toy(Dataset):
    def __init__(self, n, noise):
        rng = np.random.default_rng(3)
        self.x = rng.random((n, 4), dtype=np.float32)
        y = rng.integers(0, 3, n)
        self.y = y + noise * rng.standard_normal(n)  # guilty

    def __len__(self):
        return len(self.x)

    def __getitem__(self, k):
        return self.x[k], self.y[k]


def train(args):
    ds = Toy(20, args.label_noise)
    dl = DataLoader(ds, batch_size=5, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))
    net = nn.Linear(4, 3)
    for _ in range(args.epochs):
        for x, y in dl:
            nn.CrossEntropyLoss()(net(x), y)


if __name__ == "__main__":
    train(parse_args())
