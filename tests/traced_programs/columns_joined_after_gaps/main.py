"""LG101: a left join leaves gaps, which are dropped; a function works on other columns of the table."""

import argparse
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

import cohort
from visits import VisitDataset


class RiskNet(nn.Module):
    def __init__(self, n_features: int, n_outcomes: int = 3, hidden: int = 32, dropout: float = 0.1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_features, hidden), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(hidden, hidden), nn.ReLU(),
        )
        self.head = nn.Linear(hidden, n_outcomes)

    def forward(self, x):
        return self.head(self.body(x))


def run_epoch(model, loader, criterion, optimizer=None):
    model.train(optimizer is not None)
    total, seen = 0.0, 0
    for features, outcome in loader:
        loss = criterion(model(features), outcome)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * len(features)
        seen += len(features)
    return total / max(seen, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path(__file__).parent)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()

    torch.manual_seed(0)
    data = cohort.build(args.data)
    train = DataLoader(VisitDataset(data.train, data.columns), batch_size=32, shuffle=True)
    valid = DataLoader(VisitDataset(data.valid, data.columns), batch_size=64)
    model = RiskNet(len(data.columns))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        fit = run_epoch(model, train, criterion, optimizer)
        with torch.no_grad():
            held_out = run_epoch(model, valid, criterion)
        print(f"epoch {epoch} train {fit:.4f} valid {held_out:.4f}")


if __name__ == "__main__":
    main()
