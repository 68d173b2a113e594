"""LG101: loader, dataset and labels are made in another file."""

import os

import torch.nn.functional as F
from torch import nn

WORKERS = int(os.environ.get("WORKERS", "0"))

from pipeline import make_loader


def run_epoch(model, loader):
    for features, labels in loader:
        F.cross_entropy(model(features), labels)


run_epoch(nn.Linear(3, 5), make_loader(WORKERS))
