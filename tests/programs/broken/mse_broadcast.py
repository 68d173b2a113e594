"""Predictions (N, 1) against values (N,): the loss is over N x N pairs.

expect: LG406 exit=0
"""

import torch
from torch import nn

model = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randn(16)
loss = nn.MSELoss()(model(x), y)  # here
loss.backward()
