"""LG406: what a scaler gave as a column is flattened; the model gives columns."""

import numpy as np
import torch
from sklearn.preprocessing import MinMaxScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def targets(prices):
    scaler = MinMaxScaler()
    column = prices.reshape(-1, 1)
    flat = scaler.fit_transform(column).flatten()  # guilty
    return torch.tensor(flat, dtype=torch.float32), scaler


prices = np.random.default_rng(0).uniform(1, 9, 24)
y, scaler = targets(prices)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
for inputs, wanted in DataLoader(TensorDataset(torch.randn(24, 3), y), batch_size=8):
    nn.functional.mse_loss(net(inputs), wanted)
