"""LG102: codes are int32 in a config's dtype."""
import numpy as np
import torch
from torch import nn


class Config:
    label_dtype = np.int32
    classes = 4


def encode(names, table):
    return np.array([table[name] for name in names], dtype=Config.label_dtype)


table = {"ant": 0, "bee": 1, "cat": 2, "dog": 3}
labels = torch.from_numpy(encode(["ant", "cat", "dog"], table))
head = nn.Linear(6, Config.classes)
nn.functional.cross_entropy(head(torch.randn(3, 6)), labels)  # LG102
