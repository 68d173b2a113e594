"""The labels are cut one short of the batch; as many are left as there are classes.

expect: LG403 exit=1
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
data, labels = torch.randn(10, 4), torch.randint(3, (10,))
for i in range(0, 10, 4):
    loss = F.cross_entropy(net(data[i : i + 4]), labels[i : i + 3])  # here
