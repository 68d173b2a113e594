"""numpy on Windows, and many readers, give int32.

expect: LG102 exit=1 fixed
"""

import numpy as np
import torch
import torch.nn.functional as F

y = torch.from_numpy(np.array([0, 1, 2], dtype=np.int32))
F.cross_entropy(torch.randn(3, 3), y)  # here
