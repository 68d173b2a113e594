"""LG301: the settings choose the head without a log_softmax."""
"""Wafer fault classifier assembled from a config with small registries."""
import torch
from torch.utils.data import DataLoader, WeightedRandomSampler

from wafers import WaferMaps, FAULTS
from parts import BACKBONES, HEADS, LOSSES, Classifier

CONFIG = {
    "seed": 0,
    "data": {"n": 320, "side": 12},
    "model": {"backbone": "mlp", "width": 40, "head": "linear"},  # guilty
    "loss": "nll",
    "optim": {"lr": 3e-3, "weight_decay": 1e-4},
    "batch_size": 32,
    "epochs": 5,
}


def build_model(cfg, data):
    backbone = BACKBONES[cfg["backbone"]](data.n_pixels, cfg["width"])
    head = HEADS[cfg["head"]](cfg["width"], len(FAULTS))
    return Classifier(backbone, head)


def balanced_sampler(labels):
    counts = torch.bincount(labels, minlength=len(FAULTS)).float()
    return WeightedRandomSampler((1.0 / counts)[labels], num_samples=len(labels))


def fit(cfg):
    torch.manual_seed(cfg["seed"])
    data = WaferMaps(**cfg["data"])
    loader = DataLoader(data, batch_size=cfg["batch_size"], sampler=balanced_sampler(data.labels))
    model = build_model(cfg["model"], data)
    loss_fn = LOSSES[cfg["loss"]]()
    optimizer = torch.optim.AdamW(model.parameters(), **cfg["optim"])

    for epoch in range(cfg["epochs"]):
        total, hits = 0.0, 0
        for maps, faults in loader:
            out = model(maps)
            loss = loss_fn(out, faults)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(faults)
            hits += (out.argmax(1) == faults).sum().item()
        print(f"epoch {epoch}: loss {total / len(data):.4f} acc {hits / len(data):.3f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    fit(CONFIG)
