"""LG403: unreadable images are left out of a batch, and their labels are not."""

import torch
from torch import nn
from torch.utils.data import DataLoader

from data import SPECIES, LeafDataset, collate_leaves, prepare_folder


def make_net():
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, stride=2), nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(24 * 25, 48), nn.ReLU(), nn.Linear(48, len(SPECIES)),
    )


def main():
    torch.manual_seed(0)
    loader = DataLoader(LeafDataset(prepare_folder()), batch_size=16, num_workers=2, collate_fn=collate_leaves)
    net = make_net()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(3):
        for i, (images, labels) in enumerate(loader):
            logits = net(images)
            loss = criterion(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"[{epoch}:{i}] {loss.item():.3f}")


if __name__ == "__main__":
    main()
