"""0 and 1 for a loss of -1 and +1.

expect: LG212 exit=0
"""

import torch
import torch.nn.functional as F

y = torch.tensor([0.0, 1.0, 0.0, 1.0])
loss = F.hinge_embedding_loss(torch.rand(4), y)  # here
