"""LG102: a lambda gives a table its codes, of 8 bits."""

import argparse
import tempfile
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import inventory


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--lr", type=float, default=0.05)
    return parser.parse_args()


def fit(model: nn.Module, loader: DataLoader, epochs: int, lr: float) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for epoch in range(epochs):
        total = 0.0
        for features, codes in loader:
            optimizer.zero_grad()
            loss = F.nll_loss(F.log_softmax(model(features), dim=1), codes)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(epoch, round(total / len(loader), 4))


def main() -> None:
    args = parse()
    torch.manual_seed(1)
    frame = inventory.encode(inventory.clean(inventory.survey()))
    split = inventory.read_cache(inventory.write_cache(frame, Path(tempfile.mkdtemp())))
    dataset = TensorDataset(torch.from_numpy(split.features), torch.from_numpy(split.codes))
    loader = DataLoader(dataset, batch_size=args.batch, shuffle=True)
    model = nn.Sequential(nn.Linear(split.features.shape[1], 12), nn.Tanh(), nn.Linear(12, len(split.names)))
    fit(model, loader, args.epochs, args.lr)


if __name__ == "__main__":
    main()
