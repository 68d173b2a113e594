"""LG203: a logarithm of zero in a series that is cut into windows."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
class Series(Dataset):
    def __init__(self, n=40):
        t = torch.arange(n, dtype=torch.float32)
        self.values = torch.log(t)  # guilty
    def __len__(self):
        return len(self.values) - 3
    def __getitem__(self, i):
        w = self.values[i:i + 4]
        return w[:3], w[0:1]
def collate(batch):
    xs, ys = zip(*batch)
    return torch.stack(xs), torch.stack(ys)
net = nn.Linear(3, 1)
for x, y in DataLoader(Series(), batch_size=8, collate_fn=collate):
    loss = nn.functional.mse_loss(net(torch.nan_to_num(x)), y)
