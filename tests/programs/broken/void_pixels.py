"""A segmentation mask marks void pixels with 255, and the loss was not told.

expect: LG202 exit=1
"""

import torch
from torch import nn

mask = torch.randint(21, (2, 8, 8))
mask[0, :2] = 255
criterion = nn.CrossEntropyLoss()
criterion(torch.randn(2, 21, 8, 8), mask)  # here
