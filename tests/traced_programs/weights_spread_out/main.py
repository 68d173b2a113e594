"""LG407: weights of a loss come from a file of settings, spread over a call."""

import json
import os
import tempfile

import torch
from torch.utils.data import DataLoader

from builders import LOSSES, MODELS
from tiles import TileDataset

CLASS_WEIGHTS = [0.4, 1.0, 1.0, 0.9, 2.5]  # guilty
EXPERIMENT = {
    "classes": ["background", "water", "forest", "crop", "road", "building"],
    "model": {"name": "tiny_unet", "width": 8},
    "loss": {"name": "weighted_ce", "weights": CLASS_WEIGHTS},
    "optim": {"lr": 2e-3, "epochs": 2, "batch": 8},
}


def save_experiment(path):
    with open(path, "w") as f:
        json.dump(EXPERIMENT, f, indent=2)


def load_experiment(path):
    with open(path) as f:
        return json.load(f)


def build(registry, spec, **extra):
    kwargs = {k: v for k, v in spec.items() if k != "name"}
    return registry[spec["name"]](**kwargs, **extra)


def main():
    torch.manual_seed(2)
    path = os.path.join(tempfile.mkdtemp(), "exp.json")
    save_experiment(path)
    exp = load_experiment(path)
    n = len(exp["classes"])
    loader = DataLoader(TileDataset(64, n), batch_size=exp["optim"]["batch"], shuffle=True)
    model = build(MODELS, exp["model"], n_classes=n)
    criterion = build(LOSSES, exp["loss"])
    opt = torch.optim.Adam(model.parameters(), lr=exp["optim"]["lr"])
    for epoch in range(exp["optim"]["epochs"]):
        for tile, mask in loader:
            loss = criterion(model(tile), mask)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
