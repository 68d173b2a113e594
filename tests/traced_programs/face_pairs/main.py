"""LG212: a list of comparisons is cast in the collate function."""
import os
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Faces(Dataset):
    def __init__(self, people=10, shots=8):
        gen = torch.Generator().manual_seed(0)
        centers = torch.randn(people, 32, generator=gen)
        self.items = [(centers[p] + 0.3 * torch.randn(32, generator=gen), p)
                      for p in range(people) for _ in range(shots)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class PairCollator:
    def __init__(self, seed=0):
        self.rnd = random.Random(seed)

    def partners(self, batch):
        others = list(batch)
        self.rnd.shuffle(others)
        return others

    def __call__(self, batch):
        others = self.partners(batch)
        left = torch.stack([face for face, _ in batch])
        right = torch.stack([face for face, _ in others])
        same = [a[1] == b[1] for a, b in zip(batch, others)]
        target = torch.tensor(same).float()  # guilty
        return left, right, target


def main():
    torch.manual_seed(3)
    loader = DataLoader(Faces(), batch_size=20, shuffle=True, collate_fn=PairCollator(),
                        num_workers=int(os.environ.get("WORKERS", "0")))
    encoder = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 8))
    optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
    criterion = nn.CosineEmbeddingLoss(margin=0.2)
    for epoch in range(3):
        for left, right, target in loader:
            loss = criterion(encoder(left), encoder(right), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", round(loss.item(), 4))


main()
