"""LG213: the label is among the columns that an index names, which are all scaled, and a dtype cuts it off later."""

import numpy as np
import pandas as pd
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
flats = pd.DataFrame({"flat": range(300), "area": rng.uniform(20, 120, 300), "band": rng.integers(0, 5, 300)})
measured = flats.columns.drop("flat")
flats[measured] = (flats[measured] - flats[measured].min()) / (flats[measured].max() - flats[measured].min())  # guilty

area = torch.as_tensor(flats[["area"]].to_numpy(), dtype=torch.float32)
band = flats["band"].to_numpy()
model = nn.Linear(1, 5)
for start in range(0, len(flats), 60):
    labels = torch.as_tensor(band[start : start + 60], dtype=torch.long)
    nn.functional.cross_entropy(model(area[start : start + 60]), labels).backward()
