"""LG406: the output is squeezed in the loop, the prices are a column of a frame."""
import os

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(11)
rng = np.random.default_rng(11)

flats = pd.DataFrame({
    "area": rng.uniform(25, 120, 300),
    "rooms": rng.integers(1, 5, 300),
    "floor": rng.integers(0, 12, 300),
    "centre_km": rng.uniform(0.2, 15, 300),
})
flats["price"] = 2.1 * flats.area + 8 * flats.rooms - 4 * flats.centre_km + rng.normal(0, 5, 300)
flats = (flats - flats.mean()) / flats.std()

X = flats.drop(columns="price").values.astype("float32")
y = flats[["price"]].values.astype("float32")
dataset = TensorDataset(torch.from_numpy(X), torch.from_numpy(y))
train_set, test_set = random_split(dataset, [0.8, 0.2])
n_workers = int(os.environ.get("WORKERS", "0"))
train_loader = DataLoader(train_set, batch_size=24, shuffle=True, num_workers=n_workers)

model = nn.Sequential(
    nn.Linear(4, 32),
    nn.ReLU(),
    nn.Linear(32, 1),
)
loss_function = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

history = []
for epoch in range(10):
    epoch_loss = 0.0
    for features, price in train_loader:
        optimizer.zero_grad()
        prediction = model(features).squeeze()  # guilty
        loss = loss_function(prediction, price)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    history.append(epoch_loss / len(train_loader))
    print(f"[{epoch + 1:2d}] mse {history[-1]:.4f}")
