"""LG103: a comparison of times is a label."""

import torch
from torch import nn
from torch.utils.data import DataLoader

from model import MultiHead
from shipments import ShipmentDataset, collate, make_frame
from tasks import TASKS


def main() -> None:
    torch.manual_seed(3)
    loader = DataLoader(ShipmentDataset(make_frame()), batch_size=50, collate_fn=collate)
    model = MultiHead()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(3):
        for x, targets in loader:
            outputs = model(x)
            losses = {n: criterion(outputs[n], targets[n]) * TASKS[n].weight for n in outputs}
            optimizer.zero_grad()
            sum(losses.values()).backward()
            optimizer.step()
        print(epoch, {n: round(v.item(), 3) for n, v in losses.items()})


if __name__ == "__main__":
    main()
