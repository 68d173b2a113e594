"""LG205: shares in per cent, after a generator that gives tens of thousands of events."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from rates import to_samples


def collate(samples):
    stack = {"x": torch.from_numpy(np.stack([sample["x"] for sample in samples]))}
    for name in ("rate", "sent"):
        stack[name] = torch.tensor([sample[name] for sample in samples])
    return stack


class RateModel(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, 24), nn.Tanh())
        self.rate, self.volume = nn.Linear(24, 1), nn.Linear(24, 1)

    def forward(self, x):
        hidden = self.body(x)
        return self.rate(hidden)[:, 0], self.volume(hidden)[:, 0]


def main():
    torch.manual_seed(0)
    samples = to_samples()
    loader = DataLoader(samples, batch_size=50, shuffle=True, collate_fn=collate)
    model = RateModel(samples[0]["x"].shape[0])
    opened, volume = nn.BCEWithLogitsLoss(), nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(4):
        for batch in loader:
            rate, sent = model(batch["x"])
            loss = opened(rate, batch["rate"]) + 0.1 * volume(sent, torch.log(batch["sent"]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
