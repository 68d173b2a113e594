"""Labels first, scores second.

expect: LG106 exit=1
says: input and target may be swapped
"""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
y = torch.randint(3, (8,))
criterion = nn.CrossEntropyLoss()
loss = criterion(y, net(torch.randn(8, 4)))  # here
