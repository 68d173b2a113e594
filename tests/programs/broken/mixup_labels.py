"""Mixup mixes class indices as if they were probabilities.

expect: LG204 exit=1
"""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
y = torch.tensor([0, 3, 1, 4])
mixed = 0.7 * y + 0.3 * y.flip(0)
F.cross_entropy(torch.randn(4, 5), mixed)  # here
