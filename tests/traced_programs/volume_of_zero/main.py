"""LG207: a logarithm of no volume, in a function that is called for each group."""
import torch
from torch import nn

from config import Config
from data import make_loader
from features import FEATURES
from make_bars import ensure_bars
from model import ReturnForecaster


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = Config()
    ensure_bars(cfg)
    loader = make_loader(cfg)
    model = ReturnForecaster(len(FEATURES), cfg.hidden)
    criterion = nn.SmoothL1Loss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(2):
        for step, (x, y) in enumerate(loader):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 2 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
