"""LG303: the last layer is one of a table of lambdas."""

import json
import tempfile
from pathlib import Path

import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

DEFAULTS = {
    "model": {"layers": [13, 32, 16, 3], "activation": "relu", "final_activation": "softmax", "dropout": 0.1},  # guilty
    "optim": {"name": "adam", "lr": 0.005},
    "train": {"epochs": 15, "batch_size": 32, "folds": 3},
    "loss": "cross_entropy",
}

ACTS = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}
FINAL = {None: nn.Identity, "softmax": lambda: nn.Softmax(dim=-1), "sigmoid": nn.Sigmoid}
LOSSES = {"cross_entropy": nn.CrossEntropyLoss, "mse": nn.MSELoss}


def build_model(cfg):
    sizes = cfg["layers"]
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers += [ACTS[cfg["activation"]](), nn.Dropout(cfg["dropout"])]
    layers.append(FINAL[cfg.get("final_activation")]())
    return nn.Sequential(*layers)


def run_fold(cfg, X, y, tr, va):
    scaler = StandardScaler().fit(X[tr])
    xt = torch.tensor(scaler.transform(X[tr]), dtype=torch.float32)
    xv = torch.tensor(scaler.transform(X[va]), dtype=torch.float32)
    yt, yv = torch.tensor(y[tr]), torch.tensor(y[va])
    net = build_model(cfg["model"])
    opt = torch.optim.Adam(net.parameters(), lr=cfg["optim"]["lr"])
    loss_fn = LOSSES[cfg["loss"]]()
    bs = cfg["train"]["batch_size"]
    for _ in range(cfg["train"]["epochs"]):
        net.train()
        for idx in torch.randperm(len(xt)).split(bs):
            loss = loss_fn(net(xt[idx]), yt[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    net.eval()
    with torch.no_grad():
        out = net(xv)
        return loss_fn(out, yv).item(), (out.argmax(1) == yv).float().mean().item()


def main():
    torch.manual_seed(0)
    path = Path(tempfile.mkdtemp()) / "config.json"
    path.write_text(json.dumps(DEFAULTS, indent=2))
    cfg = json.loads(path.read_text())
    X, y = load_wine(return_X_y=True)
    folds = StratifiedKFold(cfg["train"]["folds"], shuffle=True, random_state=0)
    for k, (tr, va) in enumerate(folds.split(X, y)):
        loss, acc = run_fold(cfg, X, y, tr, va)
        print(f"fold {k}: val loss {loss:.4f} acc {acc:.3f}")


if __name__ == "__main__":
    main()
