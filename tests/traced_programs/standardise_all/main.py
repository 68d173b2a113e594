"""LG204: a scaler is fitted on all columns, the label among them."""

import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class StandardScaler:
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        self.std_ = X.std(axis=0)
        return self

    def transform(self, X):
        return (X - self.mean_) / self.std_  # guilty

    def fit_transform(self, X):
        return self.fit(X).transform(X)


raw = np.array([[5.1, 3.5, 0], [4.9, 3.0, 1], [6.2, 2.2, 2], [5.9, 3.2, 1], [5.5, 2.3, 0], [6.7, 3.1, 2]])
data = StandardScaler().fit_transform(raw)
X, y = data[:, :2], data[:, 2]
ds = TensorDataset(torch.FloatTensor(X), torch.from_numpy(y))
net = nn.Linear(2, 3)
criterion = nn.CrossEntropyLoss()
for xb, yb in DataLoader(ds, batch_size=3, num_workers=int(os.environ.get("WORKERS", "0"))):
    criterion(net(xb), yb)
