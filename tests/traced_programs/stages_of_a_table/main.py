"""LG203: a table goes through the stages of a loop; groups of one row have no deviation."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ROOT = Path(__file__).parent


@dataclass
class Settings:
    source: Path = ROOT / "sales.parquet"
    numeric: list[str] = field(default_factory=lambda: ["area", "rooms", "year", "garden"])
    min_area: float = 20.0
    batch_size: int = 32
    epochs: int = 3
    lr: float = 3e-3


class Preprocessor:
    def __init__(self, settings: Settings):
        self.settings = settings

    def clean(self, frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame[frame["area"] >= self.settings.min_area]
        frame = frame.dropna(subset=["price", "district"])
        low, high = frame["price"].quantile([0.005, 0.995])
        return frame[frame["price"].between(low, high)].copy()

    def relative(self, frame: pd.DataFrame) -> pd.DataFrame:
        frame["per_metre"] = np.log(frame["price"] / frame["area"])
        by_district = frame.groupby("district")["per_metre"]
        frame["relative"] = by_district.transform(lambda s: (s - s.mean()) / s.std())  # guilty
        return frame

    def inputs(self, frame: pd.DataFrame) -> pd.DataFrame:
        for name in self.settings.numeric:
            column = frame[name].astype("float64")
            frame[name] = (column - column.mean()) / column.std()
        frame["district_id"] = pd.factorize(frame["district"], sort=True)[0]
        return frame

    def __call__(self, frame: pd.DataFrame) -> pd.DataFrame:
        for stage in (self.clean, self.relative, self.inputs):
            frame = stage(frame)
        return frame.reset_index(drop=True)


class Sales(Dataset):
    def __init__(self, frame: pd.DataFrame, numeric: list[str]):
        self.numeric = frame[numeric].to_numpy(np.float32)
        self.district = frame["district_id"].to_numpy()
        self.relative = frame["relative"].to_numpy(np.float32)

    def __len__(self) -> int:
        return len(self.relative)

    def __getitem__(self, i: int) -> dict:
        return {"numeric": self.numeric[i], "district": self.district[i], "relative": self.relative[i]}


class PriceNet(nn.Module):
    def __init__(self, n_numeric: int, n_districts: int, dim: int = 6):
        super().__init__()
        self.district = nn.Embedding(n_districts, dim)
        self.net = nn.Sequential(nn.Linear(n_numeric + dim, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, batch: dict) -> torch.Tensor:
        x = torch.cat([batch["numeric"], self.district(batch["district"])], dim=1)
        return self.net(x)[:, 0]


def main(settings: Settings) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    frame = Preprocessor(settings)(pd.read_parquet(settings.source))
    loader = DataLoader(Sales(frame, settings.numeric), settings.batch_size, shuffle=True)
    model = PriceNet(len(settings.numeric), frame["district_id"].nunique())
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.lr)
    criterion = nn.SmoothL1Loss()
    for epoch in range(settings.epochs):
        running = []
        for batch in loader:
            optimizer.zero_grad()
            loss = criterion(model(batch), batch["relative"])
            loss.backward()
            optimizer.step()
            running.append(loss.item())
        print(f"epoch {epoch}: {np.mean(running):.4f}")


if __name__ == "__main__":
    main(Settings())
