"""One output, squeezed: cross_entropy sees one sample with N classes.

expect: LG305 exit=0
"""

import torch
from torch import nn

model = nn.Linear(4, 1)
y = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
loss = nn.CrossEntropyLoss()(model(torch.randn(6, 4)).squeeze(), y)  # here
