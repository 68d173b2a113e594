import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


def synth_recordings(cfg, seed=27):
    rng = np.random.default_rng(seed)
    labels = rng.choice(cfg.gestures, cfg.n_recordings, p=[0.4, 0.25, 0.15, 0.1, 0.1])
    t = np.linspace(0, 1, cfg.steps)
    freq = (labels + 1)[:, None, None] * np.arange(1, cfg.sensors + 1)[None, :, None]
    signals = np.sin(2 * np.pi * freq * t[None, None, :] / 3)
    signals += rng.normal(0, 0.3, signals.shape)
    return signals.astype(np.float32), labels


def make_loader(cfg):
    signals, labels = synth_recordings(cfg)
    counts = np.bincount(labels, minlength=cfg.gestures)
    sampler = WeightedRandomSampler((1.0 / counts[labels]).tolist(), len(labels))
    data = TensorDataset(torch.from_numpy(signals), torch.from_numpy(labels))
    return DataLoader(data, cfg.batch_size, sampler=sampler)
