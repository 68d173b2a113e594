"""The same for logits, with another text.

expect: LG104 exit=1 fixed
"""

import torch
from torch import nn

y = torch.randint(2, (8,))
nn.BCEWithLogitsLoss()(torch.randn(8), y)  # here
