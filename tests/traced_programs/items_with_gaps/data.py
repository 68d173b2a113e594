"""Event log reading and the torch dataset around it."""
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


def write_event_log(path: Path, seed: int = 3) -> None:
    rng = np.random.default_rng(seed)
    catalogue = np.sort(rng.choice(160, size=120, replace=False))
    popularity = rng.dirichlet(np.ones(len(catalogue)) * 0.6)
    rows = 3000
    df = pd.DataFrame({
        "user": rng.integers(0, 80, rows),
        "item": rng.choice(catalogue, rows, p=popularity),
        "dwell": rng.gamma(2.0, 1.5, rows).round(2),
    })
    df.to_csv(path, index=False)


@dataclass
class CatalogueInfo:
    n_users: int
    n_items: int


def read_event_log(path: Path):
    df = pd.read_csv(path)
    df = df[df["dwell"] > 0.2]
    info = CatalogueInfo(
        n_users=int(df["user"].max()) + 1,
        n_items=df["item"].nunique(),  # guilty
    )
    return df.reset_index(drop=True), info


class DwellDataset(Dataset):
    def __init__(self, df: pd.DataFrame):
        self.users = torch.as_tensor(df["user"].to_numpy())
        self.items = torch.as_tensor(df["item"].to_numpy())
        self.dwell = torch.log1p(torch.as_tensor(df["dwell"].to_numpy(), dtype=torch.float32))

    def __len__(self):
        return len(self.users)

    def __getitem__(self, i):
        return {"user": self.users[i], "item": self.items[i], "dwell": self.dwell[i]}
