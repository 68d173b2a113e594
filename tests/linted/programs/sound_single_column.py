"""sound: single brackets give the labels without an axis."""
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

frame = pd.DataFrame({"a": [0.1, 0.5, 0.7, 0.9], "b": [1.0, 2.0, 3.0, 4.0], "species": [0, 1, 2, 1]})
features = torch.tensor(frame[["a", "b"]].values, dtype=torch.float32)
labels = torch.tensor(frame["species"].values, dtype=torch.long)
for x, y in DataLoader(TensorDataset(features, labels), batch_size=2):
    nn.CrossEntropyLoss()(nn.Linear(2, 3)(x), y).backward()
