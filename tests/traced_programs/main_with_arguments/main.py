"""LG101: labels are divided by an argument of the command line."""

import os

import argparse
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

def parsed(words=()):
    parser = argparse.ArgumentParser()
    parser.add_argument("--stride", type=int, default=2)
    parser.add_argument("--batch", type=int, default=6)
    return parser.parse_args(list(words))


def get_data(args):
    raw = torch.arange(0, 24 * args.stride, args.stride)
    x = torch.stack([raw, raw], dim=1).float()
    y = raw / args.stride  # guilty
    return {"train": TensorDataset(x, y % 6), "val": None}


def train_one_epoch(model, loader, optimizer):
    total = 0.0
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    args = parsed()
    data = get_data(args)
    model = nn.Linear(2, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        train_one_epoch(model, DataLoader(data["train"], batch_size=args.batch, num_workers=WORKERS), optimizer)


if __name__ == "__main__":
    main()
