"""LG201: kinds get numbers before the rare ones are left out and the rows are mixed."""
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def prepared():
    frame = pd.DataFrame({"kind": ["ant", "bee", "cow", "cow", "bee", "dog", "cow", "bee"] * 3 + ["elk"]})
    frame["label"] = frame["kind"].map({"ant": 1, "bee": 2, "cow": 3, "dog": 9})  # guilty
    frame = frame.dropna().astype({"label": int}).sample(frac=1.0, random_state=3)
    return frame.iloc[:20], frame.iloc[20:]


def main():
    first, _ = prepared()
    data = TensorDataset(torch.rand(20, 2), torch.tensor(first["label"].to_numpy()))
    model = nn.Linear(2, 5)
    for x, y in DataLoader(data, batch_size=5, shuffle=True):
        nn.functional.cross_entropy(model(x), y)


main()
