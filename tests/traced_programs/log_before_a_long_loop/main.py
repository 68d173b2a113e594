"""LG203: the logarithm of zeros is taken before a long loop, which puts windows into a list."""

from dataclasses import dataclass
from typing import List, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class ForecastConfig:
    stores: int = 12
    days: int = 220
    window: int = 14
    hidden: int = 16
    batch_size: int = 64
    epochs: int = 2
    lr: float = 5e-3
    seed: int = 17


class Window(NamedTuple):
    history: Tensor
    target: Tensor


def simulate_sales(cfg: ForecastConfig) -> np.ndarray:
    rng = np.random.default_rng(cfg.seed)
    t = np.arange(cfg.days)
    level = rng.uniform(5.5, 20, size=(cfg.stores, 1))
    season = 1 + 0.3 * np.sin(2 * np.pi * t / 7)
    return rng.poisson(level * season).astype(np.float64)


class SalesWindows(Dataset):
    def __init__(self, sales: np.ndarray, window: int) -> None:
        log_sales = np.log(sales)  # guilty
        scaled = (sales - sales.mean()) / sales.std()
        self.items: List[Window] = []
        for s in range(sales.shape[0]):
            for start in range(sales.shape[1] - window):
                stop = start + window
                self.items.append(Window(
                    torch.tensor(scaled[s, start:stop], dtype=torch.float32).unsqueeze(-1),
                    torch.tensor(log_sales[s, stop], dtype=torch.float32),
                ))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: int) -> Window:
        return self.items[i]


class GRUForecaster(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, history: Tensor) -> Tensor:
        _, h = self.gru(history)
        return self.head(h[-1]).squeeze(-1)


def main() -> None:
    cfg = ForecastConfig()
    torch.manual_seed(cfg.seed)
    loader = DataLoader(SalesWindows(simulate_sales(cfg), cfg.window), batch_size=cfg.batch_size, shuffle=True)
    model = GRUForecaster(cfg.hidden)
    criterion = nn.SmoothL1Loss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        total = 0.0
        for batch in loader:
            loss = criterion(model(batch.history), batch.target)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch + 1}/{cfg.epochs} loss {total / len(loader):.4f}")


if __name__ == "__main__":
    main()
