"""A gathered column against a row of targets: every value with every other.

expect: LG406 exit=0
says: target.unsqueeze(1)
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
q = nn.Linear(4, 2)
a = torch.randint(2, (8, 1))
target = torch.randn(8)
for _ in range(2):
    loss = F.smooth_l1_loss(q(torch.randn(8, 4)).gather(1, a), target)  # here
    loss.backward()
