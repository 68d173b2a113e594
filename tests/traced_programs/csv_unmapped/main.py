"""LG213: a word of the file is missing in the table that map looks in."""
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader

from tickets import CLASSES, TicketDataset

CSV = """priority,words,age_h,attachments,queue
1,120,4.5,0,billing
3,45,0.5,1,network
2,80,12.0,2,hardware
1,200,30.0,0,billing
3,33,1.0,0,network
2,65,7.5,1,hardwear
2,71,9.0,1,hardware
1,140,2.0,0,billing
3,52,0.2,3,network
2,95,15.0,0,hardware
"""


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as root:
        path = os.path.join(root, "tickets.csv")
        with open(path, "w") as f:
            f.write(CSV)
        dataset = TicketDataset(path)
    loader = DataLoader(dataset, batch_size=4, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))
    model = nn.Sequential(nn.BatchNorm1d(4, track_running_stats=False), nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, len(CLASSES)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(4):
        for features, queue in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(features), queue)
            loss.backward()
            optimizer.step()
        print(f"{epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
