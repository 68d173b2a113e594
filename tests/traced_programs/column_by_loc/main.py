"""LG406: a column is taken as a table of one column, by `loc`."""

import numpy as np
import pandas as pd
import torch
from torch import nn

rng = np.random.default_rng(0)
df = pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120), "price": rng.normal(size=120)})
y = torch.tensor(df.loc[:, ["price"]].values, dtype=torch.float32)  # guilty
x = torch.tensor(df[["a", "b"]].values, dtype=torch.float32)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 1)

    def forward(self, x):
        return self.l(x).squeeze(1)

net = Net()
for i in range(0, 120, 40):
    loss = nn.functional.mse_loss(net(x[i:i + 40]), y[i:i + 40])
    loss.backward()
