"""LG204: from a later epoch on, an object in a list adds noise to inputs and class numbers alike."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Flip:
    def __call__(self, x, y):
        return x.flip(-1), y


class Noise:
    def __init__(self, size):
        self.size = size

    def __call__(self, x, y):
        x = x + self.size * torch.randn_like(x)
        y = y + self.size * torch.randn(len(y))  # guilty
        return x, y


STAGES = [(0, Flip()), (4, Noise(0.1))]


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(120, 6), torch.randint(0, 3, (120,)))
    loader = DataLoader(data, batch_size=24, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    optimizer = torch.optim.Adam(model.parameters())
    criterion = nn.CrossEntropyLoss()
    for epoch in range(6):
        for x, y in loader:
            for first, stage in STAGES:
                if epoch >= first:
                    x, y = stage(x, y)
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
