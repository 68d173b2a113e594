"""LG301: a setting is misspelled, so that a branch leaves out the last layer."""

import torch
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset, random_split

from components import build_loss, build_model
from settings import EXPERIMENT


def datasets():
    wine = load_wine()
    x = torch.tensor(StandardScaler().fit_transform(wine.data), dtype=torch.float32)
    data = TensorDataset(x, torch.tensor(wine.target))
    return random_split(data, [140, len(data) - 140], generator=torch.Generator().manual_seed(2))


@torch.no_grad()
def accuracy(model, data):
    x, y = next(iter(DataLoader(data, batch_size=len(data))))
    return (model(x).argmax(-1) == y).float().mean().item()


def run(exp):
    torch.manual_seed(0)
    train_set, test_set = datasets()
    cfg = exp["train"]
    model = build_model(exp["model"], n_in=13, n_out=3)
    criterion = build_loss(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    loader = DataLoader(train_set, batch_size=cfg["batch_size"], shuffle=True)
    for epoch in range(cfg["epochs"]):
        total = 0.0
        for x, y in loader:
            loss = criterion(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"{exp['name']} epoch {epoch} loss {total / len(loader):.4f} acc {accuracy(model, test_set):.3f}")


if __name__ == "__main__":
    run(EXPERIMENT)
