"""LG303: a function builds two stacks, and takes the last layer out of a table."""

import json

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from blocks import TwoStage

LOSSES = {"bce": nn.BCEWithLogitsLoss, "mse": nn.MSELoss}
OPTIMIZERS = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}

CFG = json.loads('{"loss": "bce", "optimizer": "adam", "lr": 0.003, "hidden": 32, "epochs": 5, "batch": 64}')


def transactions(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (n, 8)).astype(np.float32)
    risk = 1.8 * x[:, 0] - 1.2 * x[:, 3] + x[:, 5] * x[:, 6] - 3.0
    y = (rng.random(n) < 1 / (1 + np.exp(-risk))).astype(np.float32)
    return TensorDataset(torch.from_numpy(x), torch.from_numpy(y))


def balanced_loader(ds, batch):
    y = ds.tensors[1]
    share = y.mean()
    weights = torch.where(y > 0.5, 0.5 / share, 0.5 / (1 - share))
    return DataLoader(ds, batch, sampler=WeightedRandomSampler(weights, len(ds)))


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    scores = torch.cat([model(x) for x, _ in loader])
    truth = torch.cat([y for _, y in loader])
    model.train()
    return criterion(scores, truth).item(), roc_auc_score(truth.numpy(), scores.numpy())


def main():
    torch.manual_seed(0)
    train, valid = transactions(1200, 0), transactions(400, 1)
    model = TwoStage(8, CFG["hidden"])
    criterion = LOSSES[CFG["loss"]]()
    opt = OPTIMIZERS[CFG["optimizer"]](model.parameters(), lr=CFG["lr"])
    loader = balanced_loader(train, CFG["batch"])
    valid_loader = DataLoader(valid, 200)
    for epoch in range(CFG["epochs"]):
        for x, y in loader:
            loss = criterion(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        val, auc = evaluate(model, valid_loader, criterion)
        print(f"epoch {epoch} train {loss.item():.4f} valid {val:.4f} auc {auc:.3f}")


if __name__ == "__main__":
    main()
