""".long() turns NaN into the smallest integer there is.

expect: LG213 exit=1
"""

import torch
import torch.nn.functional as F

y = torch.tensor([0.0, float("nan"), 2.0]).long()
F.cross_entropy(torch.randn(3, 4), y)  # here
