"""One output and two classes.

expect: LG201 exit=1
says: binary_cross_entropy_with_logits(net(torch.randn(8, 4)).squeeze(1), y.float())
"""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
y = torch.randint(0, 2, (8,))
loss = nn.CrossEntropyLoss()(net(torch.randn(8, 4)), y)  # here
