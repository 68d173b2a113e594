from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


def load(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype={"temp": "float32", "wind": "float32"})


def anomalies(frame: pd.DataFrame) -> pd.DataFrame:
    per_station = frame.groupby("station")["temp"]
    centre = per_station.transform("mean")
    spread = per_station.transform("std")  # guilty
    return frame.assign(anomaly=(frame["temp"] - centre) / spread)


def calendar(frame: pd.DataFrame) -> pd.DataFrame:
    angle = 2 * np.pi * frame["day"] / 7
    return frame.assign(sin_day=np.sin(angle), cos_day=np.cos(angle), wind=frame["wind"] / 25)


class StationDataset(Dataset):
    columns = ["sin_day", "cos_day", "wind"]

    def __init__(self, path: Path) -> None:
        frame = load(path).pipe(anomalies).pipe(calendar).sort_values(["day", "station"])
        self.inputs = torch.tensor(frame[self.columns].values, dtype=torch.float32)
        self.targets = torch.tensor(frame["anomaly"].values, dtype=torch.float32)

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"inputs": self.inputs[i], "target": self.targets[i]}
