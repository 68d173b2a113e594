"""LG102: an archive keeps classes as int16; a function inside another one reads it, and both have ended."""
import os
import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def record(path, n=60):
    rng = np.random.default_rng(8)
    pulse = rng.normal(size=(n, 4)).astype(np.float32)
    kinds = rng.integers(0, 3, n)
    np.savez(path, pulse=pulse, kinds=kinds.astype(np.int16))  # guilty


def halves(path):
    archive = np.load(path)
    middle = len(archive["kinds"]) // 2

    def part(rows):
        return TensorDataset(torch.from_numpy(archive["pulse"][rows]), torch.from_numpy(archive["kinds"][rows]))

    return part(slice(0, middle)), part(slice(middle, None))


with tempfile.TemporaryDirectory() as folder:
    record(os.path.join(folder, "pulses.npz"))
    train, held = halves(os.path.join(folder, "pulses.npz"))
net = nn.Linear(4, 3)
for pulse, kind in DataLoader(train, batch_size=10):
    loss = nn.functional.cross_entropy(net(pulse), kind)
