"""A mask of 0 and 255 as the target of a binary loss.

expect: LG205 exit=0
"""

import torch
import torch.nn.functional as F

mask = (torch.rand(2, 1, 8, 8) > 0.5).float() * 255
loss = F.binary_cross_entropy_with_logits(torch.randn(2, 1, 8, 8), mask)  # here
