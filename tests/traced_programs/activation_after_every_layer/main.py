"""LG303: an activation, which is a default, follows the last layer too."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from nets import RecipeTagger

TAGS = ["vegan", "spicy", "quick", "sweet", "baked"]
N_INGREDIENTS = 40


class Recipes(Dataset):
    def __init__(self, n, seed):
        rng = random.Random(seed)
        self.rows = []
        for _ in range(n):
            items = rng.sample(range(N_INGREDIENTS), rng.randint(3, 8))
            tags = [float(any(i % len(TAGS) == t and i < 25 for i in items)) for t in range(len(TAGS))]
            self.rows.append((items, tags))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def bag_collate(batch):
    items, tags = zip(*batch)
    offsets = torch.tensor([0] + [len(i) for i in items[:-1]]).cumsum(0)
    flat = torch.tensor([i for row in items for i in row])
    return flat, offsets, torch.tensor(tags)


class Trainer:
    def __init__(self, model, criterion, lr):
        self.model, self.criterion = model, criterion
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def epoch(self, loader):
        self.model.train()
        total = 0.0
        for flat, offsets, tags in loader:
            loss = self.criterion(self.model(flat, offsets), tags)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(loader)


def main():
    torch.manual_seed(0)
    loader = DataLoader(Recipes(400, seed=1), batch_size=32, shuffle=True, collate_fn=bag_collate)
    trainer = Trainer(RecipeTagger(N_INGREDIENTS, len(TAGS)), nn.BCEWithLogitsLoss(), lr=5e-3)
    for epoch in range(6):
        print(f"epoch {epoch} loss {trainer.epoch(loader):.4f}")


if __name__ == "__main__":
    main()
