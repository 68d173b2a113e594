"""LG203: a left join leaves gaps, in a file that is read in pieces."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

rng = np.random.default_rng(0)
left = pd.DataFrame({"k": np.arange(200), "x": rng.normal(size=200)})
right = pd.DataFrame({"k": rng.choice(200, 150, replace=False), "y": rng.normal(size=150)})
both = pd.merge(left, right, how="left", on="k")  # guilty
path = Path(tempfile.mkdtemp()) / "both.csv"
both.to_csv(path, index=False)
net = nn.Linear(1, 1)
reader = pd.read_csv(path, chunksize=50)
for block in reader:
    x = torch.tensor(block[["x"]].values, dtype=torch.float32)
    y = torch.tensor(block["y"].values, dtype=torch.float32)
    nn.functional.mse_loss(net(x).squeeze(1), y).backward()
