"""LG406: of two targets one is made without its axis."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class House(Dataset):
    def __init__(self, n=40):
        rng = np.random.default_rng(4)
        self.x = rng.normal(size=(n, 3)).astype("float32")
        self.price = self.x.sum(1)
        self.rent = self.x.mean(1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {
            "x": torch.from_numpy(self.x[i]),
            "price": torch.tensor([self.price[i]]),
            "rent": torch.tensor(self.rent[i]),  # guilty
        }


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 8)
        self.heads = nn.ModuleDict({"price": nn.Linear(8, 1), "rent": nn.Linear(8, 1)})

    def forward(self, x):
        h = torch.relu(self.body(x))
        return {k: head(h) for k, head in self.heads.items()}


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters())
for batch in DataLoader(House(), batch_size=8):
    out = net(batch["x"])
    loss = 0
    for name, pred in out.items():
        loss = loss + nn.functional.mse_loss(pred, batch[name])
    opt.zero_grad()
    loss.backward()
    opt.step()
