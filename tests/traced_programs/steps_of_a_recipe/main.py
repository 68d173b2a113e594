"""LG207: counters of 0 have no logarithm; a table with words goes through steps."""

import torch
from torch import nn

from data import ListingData


class OutcomeNet(nn.Sequential):
    def __init__(self, width: int, outcomes: int, hidden: int = 16) -> None:
        super().__init__(
            nn.Linear(width, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, outcomes),
        )


def main(epochs: int = 3) -> None:
    torch.manual_seed(7)
    data = ListingData()
    model = OutcomeNet(data.width, len(data.encoder.classes_))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        history = []
        for x, y in data.batches():
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            history.append(round(loss.item(), 3))
        print(epoch, history[:5], "...", history[-1])


if __name__ == "__main__":
    main()
