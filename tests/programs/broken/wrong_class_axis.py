"""A sequence model gives (batch, time, classes); the classes belong on axis 1.

expect: LG404 exit=1
"""

import torch
import torch.nn.functional as F

logits = torch.randn(2, 7, 5)
F.cross_entropy(logits, torch.randint(5, (2, 7)))  # here
