"""A batch-first model and a loss that wants the time first.

expect: LG408 exit=1
says: logp.transpose(0, 1)
"""

import torch
from torch import nn

torch.manual_seed(0)
head = nn.Linear(8, 6)
x = torch.randn(2, 20, 8)
logp = head(x).log_softmax(2)
loss = nn.CTCLoss()(logp, torch.randint(1, 6, (2, 5)), torch.tensor([20, 20]), torch.tensor([5, 5]))  # here
