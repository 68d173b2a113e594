"""LG101: bands are rounded and stay real numbers, in a file of polars."""

import tempfile
from pathlib import Path

import torch
from torch import nn

from config import TrainConfig
from loader import make_loader
from prepare import build_table


class Trainer:
    def __init__(self, cfg: TrainConfig) -> None:
        torch.manual_seed(0)
        classes = cfg.data.top_band + 1
        self.model = nn.Sequential(
            nn.Linear(len(cfg.data.features), cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, classes)
        )
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)

    def step(self, x: torch.Tensor, y: torch.Tensor) -> float:
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()


def main() -> None:
    cfg = TrainConfig()
    table = build_table(cfg.data, Path(tempfile.mkdtemp()))
    loader = make_loader(cfg, table)
    trainer = Trainer(cfg)
    for epoch in range(cfg.epochs):
        losses = [trainer.step(x, y) for x, y in loader]
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}")


if __name__ == "__main__":
    main()
