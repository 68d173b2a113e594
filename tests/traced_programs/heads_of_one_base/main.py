"""LG206: one of several heads that look alike lacks a sigmoid."""
import torch
from torch.utils.data import DataLoader

from config import Config
from data import CustomerDataset
from losses import MultiTaskLoss
from model import MultiTaskNet


def train(cfg):
    loader = DataLoader(
        CustomerDataset(cfg.n_samples, cfg.n_features), cfg.batch_size, shuffle=True
    )
    model = MultiTaskNet(cfg)
    criterion = MultiTaskLoss(cfg.heads)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        history = {spec.name: 0.0 for spec in cfg.heads}
        for batch in loader:
            loss, parts = criterion(model(batch["x"]), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            for name, value in parts.items():
                history[name] += value.item() / len(loader)
        print(epoch, {k: round(v, 4) for k, v in history.items()})


if __name__ == "__main__":
    torch.manual_seed(11)
    torch.set_num_threads(1)
    train(Config())
