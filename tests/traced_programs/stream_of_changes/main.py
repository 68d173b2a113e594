"""LG203: a stream chains generators over generators, and one of them divides by zero."""
import os

import numpy as np
import torch.nn.functional as F
from stream import Volumes
from torch import nn
from torch.utils.data import DataLoader

np.seterr(all="ignore")
model = nn.Linear(4, 1)
for past, change in DataLoader(Volumes([5, 3, 0]), batch_size=12, num_workers=int(os.environ.get("WORKERS", "0"))):
    F.huber_loss(model(past).squeeze(-1), change)
