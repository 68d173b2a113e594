"""NaN among float labels.

expect: LG203 exit=1
"""

import torch
import torch.nn.functional as F

y = torch.tensor([0.0, float("nan"), 2.0])
F.cross_entropy(torch.randn(3, 4), y)  # here
