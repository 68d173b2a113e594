"""LG205: a cross table counts, and counts go to a binary loss."""
import os

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(9)
torch.manual_seed(9)

n_users = 90
users = pd.DataFrame({
    "user_id": np.arange(n_users),
    "age": np.random.randint(15, 70, n_users),
    "gender": np.random.choice(["F", "M"], n_users),
    "occupation": np.random.choice(["student", "engineer", "artist", "retired"], n_users),
})
watched = pd.DataFrame({
    "user_id": np.random.randint(0, n_users, 350),
    "genre": np.random.choice(["Action", "Comedy", "Drama", "Horror", "Sci-Fi"], 350),
})

genres = pd.crosstab(watched["user_id"], watched["genre"])  # guilty
table = users.merge(genres, left_on="user_id", right_index=True, how="inner")

genre_cols = list(genres.columns)
inputs = pd.get_dummies(table[["age", "gender", "occupation"]], columns=["gender", "occupation"], dtype=np.float32)
inputs["age"] = inputs["age"] / 100

x = torch.tensor(inputs.values, dtype=torch.float32)
y = torch.tensor(table[genre_cols].values, dtype=torch.float32)
train_loader = DataLoader(TensorDataset(x, y), batch_size=15, shuffle=True,
                          num_workers=int(os.environ.get("WORKERS", "0")))

model = nn.Sequential(
    nn.Linear(x.shape[1], 32),
    nn.ReLU(),
    nn.Linear(32, len(genre_cols)),
    nn.Sigmoid(),
)
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)


def train_one_epoch(epoch):
    model.train()
    total_loss = 0.0
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        probs = model(inputs)
        loss = criterion(probs, targets)
        loss.backward()
        optimizer.step()
        total_loss += loss.item() * len(inputs)
    print(f"Epoch {epoch}: train loss {total_loss / len(train_loader.dataset):.4f}")


for epoch in range(1, 6):
    train_one_epoch(epoch)
