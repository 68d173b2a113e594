"""LG101: a word is no key of the table, so that the column is float."""
import pandas as pd
import torch
from torch import nn
def load():
    df = pd.DataFrame({"f": [1., 2., 3., 4.], "species": ["setosa", "virginica", "versicolor", "Setosa"]})
    codes = {"setosa": 0, "virginica": 1, "versicolor": 2}
    df["y"] = df.species.map(codes)  # guilty
    df = df.dropna()
    return df
df = load()
x = torch.tensor(df[["f"]].values, dtype=torch.float32)
y = torch.tensor(df.y.values)
loss = nn.functional.cross_entropy(nn.Linear(1, 3)(x), y)
