"""squeeze() takes the batch's axis away in the last batch, which has one sample.

expect: LG401 exit=1 fixed
says: took the axis of a batch of one as well
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
x, y = torch.randn(9, 4), torch.randint(2, (9, 1)).float()
for i in range(0, 9, 4):
    out = net(x[i : i + 4]).squeeze()
    loss = F.binary_cross_entropy(out, y[i : i + 4].squeeze(1))  # here
