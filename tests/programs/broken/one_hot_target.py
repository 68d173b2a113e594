"""One-hot rows for a loss that wants indices.

expect: LG402 exit=1 fixed
"""

import torch
import torch.nn.functional as F

y = F.one_hot(torch.tensor([0, 3, 1, 4]), 5)
F.nll_loss(torch.randn(4, 5).log_softmax(1), y)  # here
