"""The whole batch is moved with .float(), labels and all.

expect: LG101 exit=1 fixed
"""

import torch
from torch import nn

model = nn.Linear(3, 4)
batch = [torch.randn(5, 3), torch.randint(4, (5,))]
x, y = [part.float() for part in batch]
nn.functional.cross_entropy(model(x), y)  # here
