"""LG401: an encoder is given a table with one column of words, and gives a column."""
import numpy as np
import pandas as pd
import torch
from sklearn.preprocessing import OrdinalEncoder
from torch import nn


class Preparation:
    def __init__(self, column):
        self.column = column
        self.encoder = OrdinalEncoder(dtype=np.int64)

    def labels(self, frame):
        return self.encoder.fit_transform(frame[[self.column]])  # guilty


def main():
    frame = pd.DataFrame({"kind": ["oak", "elm", "fir"] * 8, "size": range(24)})
    labels = torch.as_tensor(Preparation("kind").labels(frame))
    nn.functional.cross_entropy(nn.Linear(2, 3)(torch.rand(24, 2)), labels)


main()
