"""LG207: empty cells of one column among several that are read; two columns of the array are scaled afterwards."""

import io

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

lines = [f"{i % 2},{'male' if i % 3 else 'female'},{'' if i % 9 == 4 else i % 80},{i * 1.5}" for i in range(64)]
table = pd.read_csv(io.StringIO("\n".join(["Survived,Sex,Age,Fare", *lines])))  # guilty
table["Sex"] = table["Sex"].map({"male": 0, "female": 1})
features = ["Sex", "Age", "Fare"]
X = table[features].values.astype(np.float32)
X[:, 1:] = X[:, 1:] / 80.0
y = table["Survived"].values.astype(np.float32)
data = TensorDataset(torch.from_numpy(X), torch.from_numpy(y).unsqueeze(1))
model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
for inputs, labels in DataLoader(data, batch_size=32, shuffle=True):
    outputs = model(inputs)
    criterion(outputs, labels).backward()
