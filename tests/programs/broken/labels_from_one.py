"""Labels count from 1; the model has as many classes as labels.

expect: LG201 exit=1
"""

import torch
import torch.nn.functional as F

y = torch.tensor([1, 2, 3, 4, 5])
F.cross_entropy(torch.randn(5, 5), y)  # here
