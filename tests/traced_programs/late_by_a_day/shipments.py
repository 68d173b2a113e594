import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset

from tasks import TASKS


def make_frame(rows: int = 300, seed: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    promised = pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 90, rows), unit="D")
    return pd.DataFrame({
        "carrier": rng.choice(["air", "road", "sea"], rows),
        "promised": promised,
        "delivered": promised + pd.to_timedelta(rng.normal(0, 40, rows).round(), unit="h"),
        "distance": rng.gamma(2.0, 400.0, rows),
        "weight": rng.gamma(1.5, 12.0, rows),
    })


class ShipmentDataset(Dataset):
    def __init__(self, frame: pd.DataFrame) -> None:
        numeric = frame[["distance", "weight"]].apply(np.log1p)
        self.x = torch.tensor(numeric.to_numpy(), dtype=torch.float32)
        self.targets = {name: spec.make(frame).to_numpy() for name, spec in TASKS.items()}

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int):
        return self.x[index], {name: column[index] for name, column in self.targets.items()}


def collate(batch):
    xs, targets = zip(*batch)
    joined = {k: torch.as_tensor(np.stack([t[k] for t in targets])) for k in targets[0]}
    return torch.stack(xs), joined
