"""The teacher's logits in place of its probabilities.

expect: LG304 exit=0
says: F.softmax(t(x).detach(), dim=1)
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
s, t = nn.Linear(4, 5), nn.Linear(4, 5)
x = torch.randn(16, 4)
loss = nn.KLDivLoss(reduction="batchmean")(F.log_softmax(s(x), dim=1), t(x).detach())  # here
