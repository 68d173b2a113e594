"""LG101: a decorator casts every tensor of the batch."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from engine import on_device


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 8, 5)
        self.fc = nn.Linear(8, 3)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).mean(dim=-1))


class Experiment:
    device = torch.device("cpu")

    def __init__(self):
        self.net = Net().to(self.device)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=4e-3)

    @on_device
    def training_step(self, batch):
        logits = self.net(batch["signal"])
        return nn.functional.cross_entropy(logits, batch["rhythm"], reduction="sum") / len(logits)

    def run(self, loader, epochs=2):
        for epoch in range(epochs):
            for signal, rhythm in loader:
                self.optimizer.zero_grad()
                loss = self.training_step({"signal": signal, "rhythm": rhythm})
                loss.backward()
                self.optimizer.step()
            print(epoch, loss.item())


torch.manual_seed(0)
ecg = TensorDataset(torch.randn(64, 2, 50, dtype=torch.float64), torch.randint(0, 3, (64,)))
Experiment().run(DataLoader(ecg, batch_size=16, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0"))))
