"""LG101: one label of many gets a float added."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
class D(Dataset):
    def __init__(self, n):
        self.labels = [i % 3 for i in range(n)]
        self.noise = {i: 0.0 for i in range(n) if i == 90}
    def __len__(self):
        return len(self.labels)
    def __getitem__(self, i):
        label = self.labels[i]
        if i in self.noise:
            label = label + self.noise[i]  # guilty
        return torch.ones(2), label
net = nn.Linear(2, 3)
for x, y in DataLoader(D(100), batch_size=1):
    loss = F.cross_entropy(net(x), y)
