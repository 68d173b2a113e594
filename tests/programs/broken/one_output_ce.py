"""One output and two classes.

expect: LG201 exit=1
says: F.binary_cross_entropy_with_logits(input.squeeze(1), target.float())
"""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
y = torch.randint(0, 2, (8,))
loss = nn.CrossEntropyLoss()(net(torch.randn(8, 4)), y)  # here
