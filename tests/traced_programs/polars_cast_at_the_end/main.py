"""LG102: the last of several steps of polars casts to 16 bits."""

import torch
from torch import nn
from torch.utils.data import DataLoader

from events import DEPOTS, build_table
from stream import ParcelStream


class StateModel(nn.Module):
    def __init__(self, depots, numbers, states):
        super().__init__()
        self.depot = nn.Embedding(depots, 6)
        self.body = nn.Sequential(nn.Linear(numbers + 6, 32), nn.ReLU(), nn.Linear(32, states))

    def forward(self, batch):
        return self.body(torch.cat([batch["numbers"], self.depot(batch["depot"])], dim=1))


def main():
    torch.manual_seed(0)
    table = build_table()
    states = table["state"].n_unique()
    print(table.height, "events,", states, "states")
    loader = DataLoader(ParcelStream(table), batch_size=64)
    model = StateModel(len(DEPOTS), 5, states)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(2):
        seen, total = 0, 0.0
        for batch in loader:
            loss = nn.functional.cross_entropy(model(batch), batch["state"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += len(batch["state"])
            total += loss.item() * len(batch["state"])
        print(epoch, total / seen)


if __name__ == "__main__":
    main()
