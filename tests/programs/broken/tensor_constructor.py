"""torch.Tensor makes floats of everything.

expect: LG101 exit=1 fixed
"""

import torch
from torch import nn

target = torch.Tensor([1, 2, 0, 4])
criterion = nn.NLLLoss()
loss = criterion(torch.randn(4, 5).log_softmax(1), target)  # here
