"""The class is called instead of an instance.

expect: LG504 exit=1
"""

import torch
from torch import nn

loss = nn.CrossEntropyLoss(torch.randn(4, 5), torch.randint(5, (4,)))  # here
