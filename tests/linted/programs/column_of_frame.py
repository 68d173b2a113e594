"""LG401: double brackets keep the axis of the column."""
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

frame = pd.read_csv("iris.csv")
features = torch.tensor(frame[["a", "b", "c", "d"]].values, dtype=torch.float32)
labels = torch.tensor(frame[["species"]].values, dtype=torch.long)
model = nn.Linear(4, 3)
for x, y in DataLoader(TensorDataset(features, labels), batch_size=30):
    nn.CrossEntropyLoss()(model(x), y).backward()  # LG401
