import os

import torch
from torch.utils.data import DataLoader, Dataset, random_split


class FeatureDataset(Dataset):
    features: torch.Tensor
    labels: torch.Tensor

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.features[index], self.labels[index]

    @property
    def feature_dim(self):
        return self.features.shape[1]

    @property
    def num_classes(self):
        return int(self.labels.max())  # guilty


class FlowerDataset(FeatureDataset):
    species = ("daisy", "dandelion", "rose", "sunflower", "tulip", "lily")

    def __init__(self, n, dim=40):
        g = torch.Generator().manual_seed(1)
        self.labels = torch.randint(0, len(self.species), (n,), generator=g)
        centers = torch.randn(len(self.species), dim, generator=g)
        self.features = centers[self.labels] + torch.randn(n, dim, generator=g)


def make_loaders(dataset, val_fraction, batch_size):
    n_val = int(len(dataset) * val_fraction)
    parts = random_split(dataset, [len(dataset) - n_val, n_val], generator=torch.Generator().manual_seed(0))
    workers = int(os.environ.get("WORKERS", "0"))
    return [DataLoader(p, batch_size, shuffle=(i == 0), num_workers=workers) for i, p in enumerate(parts)]
