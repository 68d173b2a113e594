"""Makes the loader."""

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def make_loader(workers):
    labels = np.zeros(40)  # guilty
    labels[::2] = 3
    data = TensorDataset(torch.ones(40, 3), torch.from_numpy(labels))
    return DataLoader(data, batch_size=8, num_workers=workers)
