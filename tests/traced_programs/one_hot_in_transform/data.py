"""The data."""

import torch
from torch.utils.data import DataLoader, Dataset

encode = lambda y: torch.zeros(10, dtype=torch.long).scatter_(0, torch.tensor(y), value=1)  # guilty


class Digits(Dataset):
    def __init__(self, transform, target_transform):
        self.transform, self.target_transform = transform, target_transform

    def __len__(self):
        return 40

    def __getitem__(self, i):
        return self.transform(i), self.target_transform(i % 10)


def build_loader(batch_size, workers):
    data = Digits(lambda i: torch.full((4,), i / 40), encode)
    return DataLoader(data, batch_size=batch_size, shuffle=True, num_workers=workers)
