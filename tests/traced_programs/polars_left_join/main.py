"""LG203: a left join of polars leaves a gap, in a table that is sorted and read by a column's name."""

import numpy as np
import polars as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TARGET = "price"


def flats() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    return pl.DataFrame({"flat": np.arange(24), "rooms": rng.normal(size=24), "age": rng.normal(size=24)})


def sales(known: pl.DataFrame) -> pl.DataFrame:
    sold = known.filter(pl.col("flat") != 17)
    return sold.select("flat", (2.0 * pl.col("rooms") - pl.col("age")).alias(TARGET))


def table() -> pl.DataFrame:
    known = flats()
    whole = known.join(sales(known), on="flat", how="left")  # guilty
    return whole.sort("flat").drop("flat")


def tensors() -> tuple[torch.Tensor, torch.Tensor]:
    rows = table()
    x = rows.select("rooms", "age").to_numpy().astype("float32")
    y = rows.get_column(TARGET).to_numpy().astype("float32")
    return torch.tensor(x), torch.tensor(y)


model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in DataLoader(TensorDataset(*tensors()), batch_size=6):
    loss = nn.functional.mse_loss(model(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
