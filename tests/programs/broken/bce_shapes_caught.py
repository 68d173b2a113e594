"""A shape error of torch's Python code, caught by the script.

expect: LG405 exit=0
"""

import torch
import torch.nn.functional as F

try:
    F.binary_cross_entropy_with_logits(torch.randn(4, 2), torch.rand(4))  # here
except ValueError as error:
    print("caught:", error)
