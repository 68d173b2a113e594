"""LG210: weekdays count from 1."""

import tomllib
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from demand import prepare
from model import SlotRegressor


def loader(config: dict) -> DataLoader:
    frame = prepare(**config["data"])
    tensors = TensorDataset(
        torch.from_numpy(frame["slot"].to_numpy().copy()),
        torch.from_numpy(frame["rain"].cast(int).to_numpy().astype("float32")),
        torch.from_numpy(frame["log_rides"].to_numpy().copy()),
    )
    return DataLoader(tensors, batch_size=config["train"]["batch"])


def main() -> None:
    config = tomllib.loads((Path(__file__).parent / "config.toml").read_text())
    torch.manual_seed(0)
    batches = loader(config)
    model = SlotRegressor(**config["model"])
    criterion = nn.HuberLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=config["train"]["lr"])
    for epoch in range(config["train"]["epochs"]):
        total = 0.0
        for slot, rain, target in batches:
            optimizer.zero_grad()
            loss = criterion(model(slot, rain), target)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} {total / len(batches):.4f}")


if __name__ == "__main__":
    main()
