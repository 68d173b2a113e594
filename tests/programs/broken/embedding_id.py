"""A token id that the table does not have.

expect: LG210 exit=1
"""

import torch
from torch import nn

table = nn.Embedding(100, 8)
table(torch.tensor([[5, 99, 100]]))  # here
