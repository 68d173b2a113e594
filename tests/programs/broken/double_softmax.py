"""softmax where log_softmax is meant.

expect: LG302 exit=0
"""

import torch
import torch.nn.functional as F

probabilities = F.softmax(F.softmax(torch.randn(8, 5), dim=1), dim=1)
loss = F.nll_loss(probabilities, torch.randint(5, (8,)))  # here
