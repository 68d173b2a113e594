"""LG109: masks stay uint8, as image files have them."""
import numpy as np
import torch
from torch import nn

masks = torch.from_numpy(np.random.randint(0, 3, (2, 1, 8, 8, 8)).astype(np.uint8)).squeeze(1)
net = nn.Conv3d(1, 3, 1)
nn.CrossEntropyLoss()(net(torch.rand(2, 1, 8, 8, 8)), masks)  # LG109
