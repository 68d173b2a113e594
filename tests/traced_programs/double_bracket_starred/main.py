"""LG401: the column is selected by double brackets in a function, and its result is spread into a TensorDataset."""

import os
import tempfile

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

# make a small stand-in for the heart disease csv
rng = np.random.RandomState(3)
csv_file = os.path.join(tempfile.gettempdir(), f"heart_{os.getpid()}.csv")
raw = pd.DataFrame({"age": rng.randint(30, 77, 160), "chol": rng.randint(130, 400, 160),
                    "thalach": rng.randint(80, 200, 160), "sex": rng.randint(0, 2, 160)})
raw["target"] = (raw["age"] * 2 - raw["thalach"] > -30).astype(int)
raw.to_csv(csv_file, index=False)

heart = pd.read_csv(csv_file)
os.remove(csv_file)
train_df = heart.sample(frac=0.75, random_state=1)
valid_df = heart.drop(train_df.index)

feature_cols = ["age", "chol", "thalach", "sex"]
norm = train_df[feature_cols].max()


def df_to_tensors(df):
    x = torch.tensor((df[feature_cols] / norm).values, dtype=torch.float32)
    y = torch.tensor(df[["target"]].values, dtype=torch.long)  # guilty
    return x, y


batch_size = 20
trainloader = DataLoader(TensorDataset(*df_to_tensors(train_df)), batch_size=batch_size, shuffle=True,
                         num_workers=int(os.environ.get("WORKERS", "0")))
validloader = DataLoader(TensorDataset(*df_to_tensors(valid_df)), batch_size=batch_size)


class HeartNet(nn.Module):
    def __init__(self):
        super(HeartNet, self).__init__()
        self.seq = nn.Sequential(nn.Linear(4, 10), nn.ELU(), nn.Linear(10, 2))

    def forward(self, x):
        return self.seq(x)


device = torch.device("cpu")
model = HeartNet().to(device)
criterion = nn.CrossEntropyLoss().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(10):
    for x, y in trainloader:
        x, y = x.to(device), y.to(device)
        logits = model(x)
        loss = criterion(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", loss.item())
