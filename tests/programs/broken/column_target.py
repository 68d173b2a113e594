"""Labels as a column, from a frame's double brackets.

expect: LG401 exit=1 fixed
"""

import torch
import torch.nn.functional as F

y = torch.tensor([[0], [1], [2]])
F.cross_entropy(torch.randn(3, 4), y)  # here
