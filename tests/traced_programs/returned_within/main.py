"""LG207: a constant column is divided by its spread of 0, inside a `with` that ends after the result is returned."""
import numpy as np
import torch
from torch import nn


class Scaler:
    def fit(self, table):
        self.spread = table.std(axis=0)
        return self

    def transform(self, table):
        with np.errstate(all="ignore"):
            return (table - table.mean(axis=0)) / self.spread  # guilty


def prepared():
    table = np.stack([np.arange(12.0), np.ones(12)], 1)
    return Scaler().fit(table).transform(table)


features = torch.tensor(prepared(), dtype=torch.float32)
model = nn.Linear(2, 3)
nn.functional.cross_entropy(model(features), torch.arange(12) % 3)
