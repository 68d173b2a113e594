"""LG102: labels are taken out of bytes by a code with a byte order."""

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset


def decoded(packet):
    labels = np.frombuffer(packet, dtype="<i2")  # guilty
    return torch.from_numpy(labels.copy())


class Packets(IterableDataset):
    def __iter__(self):
        for start in range(3):
            labels = np.arange(start, start + 4) % 3
            yield torch.randn(4, 3), decoded(labels.astype("<i2").tobytes())


for scores, labels in DataLoader(Packets(), batch_size=None):
    F.cross_entropy(scores, labels)
