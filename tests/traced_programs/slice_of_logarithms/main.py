"""LG203: prices below -1 have no logarithm; the series is shifted and cut afterwards."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from features import design
from market import simulate


class Forecaster(nn.Module):
    def __init__(self, n_inputs, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_inputs, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.net(x)).squeeze(-1)


class EarlyStop:
    def __init__(self, patience):
        self.best, self.left, self.patience = float("inf"), patience, patience

    def __call__(self, value):
        if value < self.best:
            self.best, self.left = value, self.patience
        else:
            self.left -= 1
        return self.left <= 0


def fit(model, loader, optimizer, criterion):
    history = []
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return sum(history) / len(history)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--delta", type=float, default=0.5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(8)
    data = design(simulate(args.days))
    tensors = TensorDataset(torch.from_numpy(data.x), torch.from_numpy(data.y))
    loader = DataLoader(tensors, batch_size=64, shuffle=True, generator=torch.Generator().manual_seed(8))
    model = Forecaster(data.x.shape[1], args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion, stop = nn.HuberLoss(delta=args.delta), EarlyStop(patience=2)
    for epoch in range(args.epochs):
        value = fit(model, loader, optimizer, criterion)
        print(f"epoch {epoch} huber {value:.4f}")
        if stop(value):
            print("no further progress")
            break


if __name__ == "__main__":
    main()
