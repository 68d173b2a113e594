"""LG204: all columns of a table are scaled, the label among them, and get their names again."""
import pandas as pd
import torch
from sklearn.preprocessing import MinMaxScaler
from torch import nn


def scaled(frame):
    names = frame.columns
    numbers = MinMaxScaler().fit_transform(frame)  # guilty
    return pd.DataFrame(numbers, columns=names, index=frame.index)


def main():
    frame = pd.DataFrame({"size": range(24), "kind": [0, 1, 2, 3] * 6})
    frame = scaled(frame)
    labels = torch.tensor(frame["kind"].values)
    nn.functional.cross_entropy(nn.Linear(1, 4)(torch.rand(24, 1)), labels)


main()
