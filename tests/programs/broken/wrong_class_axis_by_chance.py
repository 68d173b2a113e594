"""As many time steps as classes: the shapes fit, and the loss is taken over the wrong axis.

expect: LG404 exit=0
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
head = nn.Linear(16, 7)
logits = head(torch.randn(4, 7, 16))
F.cross_entropy(logits, torch.randint(7, (4, 7)))  # here
