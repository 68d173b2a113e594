"""LG203: the collate function maps a logarithm over counts, one of which is zero."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


def collate(batch):
    days, sold = zip(*batch)
    log_sold = list(map(np.log, sold))  # guilty
    return F.one_hot(torch.tensor(days), 7).float(), torch.tensor(np.array(log_sold), dtype=torch.float32)


np.seterr(all="ignore")
sales = [(day % 7, 0 if day == 30 else 20 + day) for day in range(42)]
net = nn.Linear(7, 1)
for day, log_sold in DataLoader(sales, batch_size=14, collate_fn=collate, num_workers=int(os.environ.get("WORKERS", "0"))):
    F.smooth_l1_loss(net(day)[:, 0], log_sold)
