"""sound: masks of 0 and 255 are scaled, labels of 1 and 2 are shifted."""
import numpy as np
import torch
from torch import nn

mask = np.zeros((2, 1, 8, 8), dtype=np.uint8)
mask[:, :, 2:5, 2:5] = 255
target = torch.from_numpy(mask).float() / 255
nn.BCEWithLogitsLoss()(torch.randn(2, 1, 8, 8), target)
labels = (torch.randint(1, 3, (16, 1)) - 1).float()
nn.BCEWithLogitsLoss()(nn.Linear(4, 1)(torch.randn(16, 4)), labels)
