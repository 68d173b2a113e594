"""An LSTM gives a tuple.

expect: LG503 exit=1
says: out[0]
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(4, 3)
out = lstm(torch.randn(5, 4))
loss = F.cross_entropy(out, torch.randint(3, (5,)))  # here
