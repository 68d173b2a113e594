"""LG102: numbers of classes are unsigned in a series of polars, which is joined to the rows."""

import polars as pl
import torch
from torch import nn

rows = pl.DataFrame(
    {"kind": ["oak", "elm", "ash", "oak"] * 5, "height": [float(number % 7) for number in range(20)]}
)


def numbered(table: pl.DataFrame) -> pl.DataFrame:
    names = table["kind"].unique().sort().to_list()
    code = pl.Series("code", range(len(names)), dtype=pl.UInt32)  # guilty
    book = pl.DataFrame({"kind": names}).with_columns(code)
    return table.join(book, on="kind", how="left", maintain_order="left")


table = numbered(rows)
x = torch.tensor(table["height"].to_numpy(), dtype=torch.float32).unsqueeze(1)
y = torch.from_numpy(table["code"].to_numpy().copy())
model = nn.Linear(1, 3)
for first in range(0, 20, 5):
    loss = nn.functional.cross_entropy(model(x[first : first + 5]), y[first : first + 5])
    loss.backward()
