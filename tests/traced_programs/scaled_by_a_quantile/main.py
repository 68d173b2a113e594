"""LG205: targets are divided by a quantile, so that a few of them lie above 1."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


@dataclass
class Hparams:
    n_sessions: int = 1200
    n_features: int = 10
    target_quantile: float = 0.95
    hidden: int = 20
    lr: float = 3e-3
    epochs: int = 3
    batch_size: int = 100


class QuantileScaler:
    def __init__(self, q: float) -> None:
        self.q = q
        self.upper = 1.0

    def fit(self, values: np.ndarray) -> QuantileScaler:
        self.upper = float(np.quantile(values, self.q))
        return self

    def transform(self, values: np.ndarray) -> np.ndarray:
        return values / self.upper  # guilty


class SessionDataset(Dataset):
    def __init__(self, features: np.ndarray, dwell: np.ndarray, scaler: QuantileScaler) -> None:
        self.features = features.astype(np.float32)
        self.engagement = scaler.transform(dwell).astype(np.float32)

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, idx: int) -> dict[str, np.ndarray]:
        return {"x": self.features[idx], "y": self.engagement[idx]}


class EngagementNet(nn.Module):
    def __init__(self, n_in: int, hidden: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, hidden), nn.SiLU())
        self.out = nn.Linear(hidden, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.out(self.trunk(x))).squeeze(1)


def sessions(hp: Hparams, seed: int = 12) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(hp.n_sessions, hp.n_features))
    dwell = np.exp(1.5 + 0.5 * x[:, 0] - 0.3 * x[:, 1] + 0.4 * rng.normal(size=hp.n_sessions))
    return x, dwell


def main() -> None:
    hp = Hparams()
    print(asdict(hp))
    torch.manual_seed(2)
    x, dwell = sessions(hp)
    scaler = QuantileScaler(hp.target_quantile).fit(dwell)
    ds = SessionDataset(x, dwell, scaler)
    sampler = WeightedRandomSampler(np.sqrt(dwell).tolist(), num_samples=len(ds))
    loader = DataLoader(ds, batch_size=hp.batch_size, sampler=sampler)
    net = EngagementNet(hp.n_features, hp.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=hp.lr)
    for epoch in range(hp.epochs):
        total = 0.0
        for batch in loader:
            loss = F.binary_cross_entropy(net(batch["x"]), batch["y"])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch} bce {total / len(loader):.4f}")


if __name__ == "__main__":
    main()
