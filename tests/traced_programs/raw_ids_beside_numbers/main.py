"""LG210: a table of factors is asked for the ids of the file, and not for the numbers made of them."""

from pathlib import Path

import pandas as pd
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler

torch.manual_seed(66)

ratings = pd.read_csv(Path(__file__).with_name("ratings.csv")).sort_values("ts")
ratings["user_idx"] = ratings["user_id"].astype("category").cat.codes.astype("int64")
ratings["movie_idx"] = ratings["movie_id"].astype("category").cat.codes.astype("int64")
n_users = ratings["user_idx"].nunique()
n_movies = ratings["movie_idx"].nunique()
mean_rating = ratings["rating"].mean()
print(f"{len(ratings)} ratings, {n_users} users, {n_movies} movies, mean {mean_rating:.2f}")

# the newest tenth is held out
n_old = int(0.9 * len(ratings))
old, new = ratings.iloc[:n_old], ratings.iloc[n_old:]


class Ratings(Dataset):
    def __init__(self, frame):
        self.users = torch.tensor(frame["user_idx"].values)
        self.movies = torch.tensor(frame["movie_id"].values)  # guilty
        self.stars = torch.tensor(frame["rating"].values, dtype=torch.float32)

    def __len__(self):
        return len(self.stars)

    def __getitem__(self, idx):
        return self.users[idx], self.movies[idx], self.stars[idx]


class MF(nn.Module):
    def __init__(self, n_users, n_movies, k, mean):
        super().__init__()
        self.user_factors = nn.Embedding(n_users, k)
        self.movie_factors = nn.Embedding(n_movies, k)
        self.user_bias = nn.Embedding(n_users, 1)
        self.movie_bias = nn.Embedding(n_movies, 1)
        self.mean = mean
        for table in (self.user_factors, self.movie_factors):
            nn.init.normal_(table.weight, std=0.05)
        nn.init.zeros_(self.user_bias.weight)
        nn.init.zeros_(self.movie_bias.weight)

    def forward(self, u, m):
        dot = (self.user_factors(u) * self.movie_factors(m)).sum(-1)
        bias = self.user_bias(u).squeeze(-1) + self.movie_bias(m).squeeze(-1)
        return self.mean + dot + bias


train = Ratings(old)
sampler = BatchSampler(RandomSampler(train), batch_size=64, drop_last=False)
train_loader = DataLoader(train, sampler=sampler, batch_size=None)
valid = Ratings(new)

model = MF(n_users, n_movies, k=8, mean=mean_rating)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-5)
loss_fn = nn.MSELoss()

for epoch in range(5):
    model.train()
    squared = 0.0
    for u, m, stars in train_loader:
        pred = model(u, m)
        loss = loss_fn(pred, stars)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        squared += loss.item() * len(stars)
    model.eval()
    with torch.no_grad():
        rmse = loss_fn(model(valid.users, valid.movies), valid.stars).sqrt()
    print(f"epoch {epoch}  train rmse {(squared / len(train)) ** 0.5:.3f}  valid rmse {rmse:.3f}")
