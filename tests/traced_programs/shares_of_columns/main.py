"""LG304: counts are divided by the sums of the columns, and put beside the features of the same rows."""

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

KINDS = ["sand", "silt", "clay"]


def shares(counts):
    return counts / counts.sum(axis=0)  # guilty


draw = np.random.default_rng(4)
sites = pd.Index([f"S{number}" for number in range(60)], name="site")
counts = pd.DataFrame(draw.integers(1, 40, (60, 3)), index=sites, columns=KINDS)
spectra = pd.DataFrame(draw.random((60, 4)), index=sites, columns=list("wxyz"))
soil = spectra.join(shares(counts))
inputs = torch.tensor(soil[list("wxyz")].to_numpy(np.float32))
targets = torch.tensor(soil[KINDS].to_numpy(np.float32))
model = torch.nn.Linear(4, 3)
for x, y in DataLoader(TensorDataset(inputs, targets), batch_size=12):
    loss = F.cross_entropy(model(x), y)
