"""LG303: a sequence ends in a module of the user's, which gives one of its results through a sigmoid."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.presence = nn.Linear(16, 1)
        self.offset = nn.Linear(16, 2)

    def forward(self, hidden):
        return {
            "presence": torch.sigmoid(self.presence(hidden)).squeeze(1),  # guilty
            "offset": self.offset(hidden),
        }


def total(found, present, offset):
    seen = F.binary_cross_entropy_with_logits(found["presence"], present)
    return seen + F.smooth_l1_loss(found["offset"], offset)


def main():
    torch.manual_seed(0)
    features = torch.randn(256, 6)
    present = (features[:, 0] > 0).float()
    loader = DataLoader(TensorDataset(features, present, features[:, 1:3] * 2), batch_size=64, shuffle=True)
    model = nn.Sequential(nn.Sequential(nn.Linear(6, 16), nn.ReLU()), Head())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(2):
        for x, y, boxes in loader:
            loss = total(model(x), y, boxes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


main()
