"""Labels scaled by a division are float ever after, even when they stay whole.

expect: LG101 exit=1 fixed
"""

import torch
import torch.nn.functional as F

labels = torch.tensor([0, 2, 4, 6]) / 2
F.nll_loss(torch.randn(4, 5).log_softmax(1), labels)  # here
