"""The model ends in a softmax, and cross_entropy does another one.

expect: LG303 exit=0
"""

import torch
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 4)

    def forward(self, x):
        return torch.softmax(self.layer(x), dim=1)


model = Model()
for _ in range(3):
    loss = nn.functional.cross_entropy(model(torch.randn(8, 6)), torch.randint(4, (8,)))  # here
    loss.backward()
