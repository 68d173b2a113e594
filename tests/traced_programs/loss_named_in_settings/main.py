"""LG305: settings name a loss of classes for one output, and it is looked up by that name."""

from __future__ import annotations

import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

from registry import create_loss, create_model

SETTINGS = {
    "seed": 77,
    "data": {"rows": 1600, "features": 12, "fraud_share": 0.2, "batch_size": 64},
    "model": {"name": "deep", "args": {"in_dim": 12, "hidden": 24}},
    "loss": {"name": "CrossEntropyLoss"},  # guilty
    "optimizer": {"lr": 3e-3, "weight_decay": 1e-4},
    "epochs": 4,
}


def make_loaders(spec: dict, seed: int) -> tuple[DataLoader, DataLoader]:
    x, y = make_classification(
        n_samples=spec["rows"], n_features=spec["features"], weights=[1 - spec["fraud_share"]], random_state=seed
    )
    x = StandardScaler().fit_transform(x).astype(np.float32)
    y = y.astype(np.float32)
    cut = int(0.75 * len(x))
    parts = [(x[:cut], y[:cut]), (x[cut:], y[cut:])]
    sets = [TensorDataset(torch.from_numpy(a), torch.from_numpy(b)) for a, b in parts]
    return (
        DataLoader(sets[0], batch_size=spec["batch_size"], shuffle=True, drop_last=True),
        DataLoader(sets[1], batch_size=256),
    )


def evaluate(model: torch.nn.Module, loader: DataLoader) -> float:
    model.eval()
    with torch.no_grad():
        pairs = [(model(x), y) for x, y in loader]
    return roc_auc_score(torch.cat([y for _, y in pairs]).numpy(), torch.cat([s for s, _ in pairs]).numpy())


def main() -> None:
    torch.manual_seed(SETTINGS["seed"])
    train, valid = make_loaders(SETTINGS["data"], SETTINGS["seed"])
    model = create_model(SETTINGS["model"])
    criterion = create_loss(SETTINGS["loss"])
    optimizer = torch.optim.AdamW(model.parameters(), **SETTINGS["optimizer"])
    for epoch in range(SETTINGS["epochs"]):
        model.train()
        running = 0.0
        for x, fraud in train:
            loss = criterion(model(x), fraud)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(f"epoch {epoch} loss {running / len(train):.4f} auc {evaluate(model, valid):.3f}")


if __name__ == "__main__":
    main()
