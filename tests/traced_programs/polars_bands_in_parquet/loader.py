from pathlib import Path

import numpy as np
import polars as pl
import torch
from torch.utils.data import DataLoader, Dataset

from config import TrainConfig


class StudentDataset(Dataset):
    def __init__(self, table: Path, features: tuple[str, ...]) -> None:
        frame = pl.read_parquet(table)
        self.x = frame.select(features).to_numpy().astype(np.float32)
        self.y = frame.get_column("band").to_numpy()

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, index: int):
        return self.x[index], self.y[index]


def make_loader(cfg: TrainConfig, table: Path) -> DataLoader:
    generator = torch.Generator().manual_seed(0)
    dataset = StudentDataset(table, cfg.data.features)
    return DataLoader(dataset, batch_size=cfg.batch_size, shuffle=True, generator=generator)
