import math

import torch
from torch.utils.data import DataLoader, TensorDataset


def make_loader(cfg):
    gen = torch.Generator().manual_seed(2)
    phase = torch.rand(cfg.n_samples, 1, generator=gen) * 2 * math.pi
    t = torch.linspace(0, 2 * math.pi, cfg.data_dim)
    waves = torch.sin(t + phase) * 0.8
    return DataLoader(TensorDataset(waves), cfg.batch_size, shuffle=True, drop_last=True)
