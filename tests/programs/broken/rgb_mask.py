"""A mask of colours in place of classes.

expect: LG405 exit=1
says: a mask read as a colour image
"""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Conv2d(3, 5, 1)
mask = torch.randint(0, 255, (2, 8, 8, 3))
loss = nn.CrossEntropyLoss()(net(torch.randn(2, 3, 8, 8)), mask)  # here
