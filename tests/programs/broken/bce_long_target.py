"""Yes and no as integers.

expect: LG104 exit=1 fixed
"""

import torch
from torch import nn

y = torch.randint(2, (8, 1))
nn.BCELoss()(torch.rand(8, 1), y)  # here
