"""Same or different as 1 and 0 for a loss of 1 and -1.

expect: LG212 exit=0
says: 2 * same - 1
"""

import torch
from torch import nn

torch.manual_seed(0)
enc = nn.Linear(6, 4)
same = torch.randint(0, 2, (16,))
for _ in range(3):
    loss = nn.CosineEmbeddingLoss()(enc(torch.randn(16, 6)), enc(torch.randn(16, 6)), same)  # here
    loss.backward()
