"""LG207: a group of one row has no deviation; the groups are kept under a name and a step of a list makes them."""

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

NUMBERS = ["length", "weight"]


def catch() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    fish = pd.DataFrame({"kind": ["perch", "pike"] * 20, "length": rng.gamma(4, 5, 40), "weight": rng.gamma(3, 2, 40)})
    fish.loc[33, "kind"] = "eel"
    fish["kept"] = (fish["weight"] > 6).astype("float32")
    return fish


def by_kind(fish: pd.DataFrame) -> pd.DataFrame:
    new = fish.copy()
    groups = new.groupby("kind")[NUMBERS]
    new[NUMBERS] = groups.transform(lambda column: (column - column.mean()) / column.std())  # guilty
    return new


def with_kinds(fish: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([fish, pd.get_dummies(fish["kind"], prefix="kind", dtype="float32")], axis=1)


def prepared() -> tuple[np.ndarray, np.ndarray]:
    fish = catch()
    for step in [by_kind, with_kinds]:
        fish = step(fish)
    columns = NUMBERS + [name for name in fish.columns if name.startswith("kind_")]
    return fish[columns].to_numpy("float32"), fish["kept"].to_numpy("float32")


x, y = prepared()
model = nn.Linear(x.shape[1], 1)
for part, kept in DataLoader(TensorDataset(torch.tensor(x), torch.tensor(y)), batch_size=8):
    nn.functional.binary_cross_entropy_with_logits(model(part).squeeze(1), kept).backward()
