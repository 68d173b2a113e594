"""LG212: an expression of columns of polars says whether two things are alike, as 0 and 1."""

import polars
import torch
from torch import nn

left = [i % 5 for i in range(60)]
right = [(i * 7) % 4 for i in range(60)]


def compared():
    table = polars.DataFrame({"left": left, "right": right, "weight": [1.0] * 60})
    table = table.with_columns(
        (polars.col("left") == polars.col("right")).cast(polars.Float32).alias("alike"),  # guilty
        polars.col("weight") * 2,
    )
    return table.select("left", "right", "alike")


torch.manual_seed(0)
codes = nn.Embedding(5, 4)
for part in compared().iter_slices(20):
    first = codes(torch.tensor(part["left"].to_list()))
    second = codes(torch.tensor(part["right"].to_list()))
    alike = torch.tensor(part["alike"].to_list())
    nn.functional.cosine_embedding_loss(first, second, alike).backward()
