"""sound: prices get the axis that the predictions have."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Houses(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 7)
        self.price = torch.rand(n)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.price[i]


model = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1))
for x, price in DataLoader(Houses(64), batch_size=16):
    nn.MSELoss()(model(x), price.unsqueeze(1)).backward()
    nn.MSELoss()(model(x).squeeze(1), price).backward()
