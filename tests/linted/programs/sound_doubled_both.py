"""sound: labels are doubled with the views."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.rand(12, 10), torch.randint(0, 4, (12,)))
model = nn.Linear(10, 4)
for x, y in DataLoader(data, batch_size=6):
    views = torch.cat([x, x + 0.1 * torch.randn_like(x)])
    nn.functional.cross_entropy(model(views), torch.cat([y, y]))
