"""LG305: a task, one of several in a table, names a loss of classes for one output."""

import argparse

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from model import TabularNet
from tasks import TASKS


def load_customers(n=512, seed=13):
    rng = np.random.default_rng(seed)
    tenure = rng.gamma(2.0, 12.0, n)
    spend = rng.normal(60, 20, n)
    calls = rng.poisson(1.5, n)
    risk = -0.05 * tenure + 0.9 * calls - 0.01 * spend
    left = rng.random(n) < 1 / (1 + np.exp(-risk))
    x = np.stack([tenure, spend, calls], axis=1)
    return x.astype(np.float32), left.astype(np.float32)


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        rank = model(x).argsort().argsort().float()
    pos = y == 1
    n_pos, n_neg = pos.sum(), (~pos).sum()
    return ((rank[pos].sum() - n_pos * (n_pos - 1) / 2) / (n_pos * n_neg)).item()


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--task", choices=sorted(TASKS), default="binary")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args(argv)

    torch.manual_seed(0)
    task = TASKS[args.task]
    x, y = (torch.from_numpy(a) for a in load_customers())
    loader = DataLoader(TensorDataset(x[:384], y[:384]), batch_size=args.batch_size, shuffle=True)
    model = TabularNet(x.shape[1], task.n_outputs)
    criterion = task.make_loss()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = criterion(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.4f} auc {evaluate(model, x[384:], y[384:]):.3f}")


if __name__ == "__main__":
    main()
