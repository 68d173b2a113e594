"""LG210: a column of users that count from 1 is taken over under another name."""
import csv
import os
import tempfile

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def write_ratings(path, n_users=60, n_movies=90, n=2500, seed=0):
    rng = np.random.RandomState(seed)
    u, m = rng.normal(size=(n_users, 3)), rng.normal(size=(n_movies, 3))
    with open(path, 'w', newline='') as f:
        w = csv.writer(f)
        w.writerow(['userId', 'movieId', 'rating'])
        for _ in range(n):
            i, j = rng.randint(n_users), rng.randint(n_movies)
            w.writerow([i + 1, j * 7 + 1, round(float(np.clip(3 + u[i] @ m[j] / 2, .5, 5)) * 2) / 2])


class Ratings(Dataset):
    def __init__(self, df):
        self.users = torch.tensor(df['user'].values)
        self.movies = torch.tensor(df['movie'].values)
        self.ratings = torch.tensor(df['rating'].values, dtype=torch.float32)

    def __len__(self):
        return len(self.ratings)

    def __getitem__(self, i):
        return self.users[i], self.movies[i], self.ratings[i]


class MF(nn.Module):
    def __init__(self, n_users, n_movies, k=8):
        super().__init__()
        self.P = nn.Embedding(n_users, k)
        self.Q = nn.Embedding(n_movies, k)
        self.bu = nn.Embedding(n_users, 1)
        self.bi = nn.Embedding(n_movies, 1)
        self.mu = nn.Parameter(torch.tensor(3.0))

    def forward(self, u, i):
        dot = (self.P(u) * self.Q(i)).sum(1)
        return self.mu + dot + self.bu(u).squeeze(1) + self.bi(i).squeeze(1)


def main():
    torch.manual_seed(0)
    path = os.path.join(tempfile.mkdtemp(), 'ratings.csv')
    write_ratings(path)
    df = pd.read_csv(path)
    movie_index = {m: k for k, m in enumerate(df['movieId'].unique())}
    df['movie'] = df['movieId'].map(movie_index)
    df['user'] = df['userId']  # guilty
    n_users, n_movies = df['user'].nunique(), len(movie_index)
    test = df.sample(frac=0.1, random_state=1)
    train = df.drop(test.index)
    loader = DataLoader(Ratings(train), batch_size=16, shuffle=True)
    model = MF(n_users, n_movies)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-5)
    mse = nn.MSELoss()
    for epoch in range(3):
        for b, (u, i, r) in enumerate(loader):
            loss = mse(model(u, i), r)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if b % 50 == 0:
                print(f'epoch {epoch} batch {b} loss {loss.item():.3f}')


if __name__ == '__main__':
    main()
