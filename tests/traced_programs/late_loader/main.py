"""LG203: one number of a text is not one, and met late."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
def read_rows():
    rows = []
    for i in range(200):
        text = f"{i},{i * 0.5}" if i != 150 else f"{i},nan"
        a, b = text.split(",")
        rows.append((float(a), float(b)))  # guilty
    return rows
class Rows(Dataset):
    def __init__(self):
        self.rows = read_rows()
    def __len__(self):
        return len(self.rows)
    def __getitem__(self, i):
        a, b = self.rows[i]
        return torch.tensor([a / 200]), torch.tensor([b])
net = nn.Linear(1, 1)
for x, y in DataLoader(Rows(), batch_size=10):
    loss = F.mse_loss(net(x), y)
