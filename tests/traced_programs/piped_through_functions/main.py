"""LG203: a table is piped through functions; a group of one row has no deviation."""

from pathlib import Path

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

from model import AnomalyNet
from weather import StationDataset


def train(model: AnomalyNet, loader: DataLoader, epochs: int) -> list[float]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    history = []
    for _ in range(epochs):
        running = 0.0
        for batch in loader:
            optimizer.zero_grad()
            loss = F.smooth_l1_loss(model(batch["inputs"]), batch["target"])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            running += loss.item()
        history.append(running / len(loader))
    return history


def main() -> None:
    torch.manual_seed(8)
    dataset = StationDataset(Path(__file__).parent / "readings.csv")
    loader = DataLoader(dataset, batch_size=7)
    for epoch, value in enumerate(train(AnomalyNet(), loader, 3)):
        print(f"epoch {epoch}: {value:.4f}")


if __name__ == "__main__":
    main()
