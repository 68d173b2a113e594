"""LG401: each label is a list of one."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sounds(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return torch.randn(20), torch.tensor([i % 6])


net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 6))
for wave, label in DataLoader(Sounds(), batch_size=4):
    nn.functional.cross_entropy(net(wave), label)  # LG401
