"""A collate function stacks labels through a list of floats.

expect: LG101 exit=1 fixed
"""

import torch
from torch import nn
from torch.utils.data import DataLoader

data = [(torch.randn(4), i % 3) for i in range(12)]


def collate(batch):
    xs, ys = zip(*batch)
    return torch.stack(xs), torch.tensor([float(y) for y in ys])


model, loss_function = nn.Linear(4, 3), nn.CrossEntropyLoss()
for x, y in DataLoader(data, batch_size=4, collate_fn=collate, num_workers=1):
    loss_function(model(x), y).backward()  # here
