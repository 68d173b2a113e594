"""Two outputs for a yes or no.

expect: LG405 exit=1
says: 2 outputs for each label
"""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 2), nn.Sigmoid())
y = torch.randint(2, (8,)).float()
loss = nn.BCELoss()(net(torch.randn(8, 4)), y)  # here
