"""LG505: one over the count of a class that does not occur, kept by a partial of the loss."""

from functools import partial

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def inverse_frequency(labels, classes):
    counts = np.bincount(labels, minlength=classes)
    weights = 1.0 / counts  # guilty
    weights = weights / weights.sum() * classes
    return torch.tensor(weights, dtype=torch.float32)


def main():
    labels = [0, 0, 1, 2, 2, 1]
    criterion = partial(F.cross_entropy, weight=inverse_frequency(labels, 4))
    model = nn.Linear(3, 4)
    criterion(model(torch.randn(6, 3)), torch.tensor(labels))


np.seterr(all="ignore")
main()
