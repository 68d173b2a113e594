import numpy as np
import pandas as pd
import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset

from features import FEATURES, add_features, standardize


class WindowDataset(Dataset):
    def __init__(self, frame, window):
        self.values = frame[FEATURES].to_numpy(np.float32)
        self.target = frame["fwd_ret"].to_numpy(np.float32) * 100
        self.window = window

    def __len__(self):
        return len(self.values) - self.window + 1

    def __getitem__(self, i):
        block = standardize(self.values[i:i + self.window])
        return torch.from_numpy(block), torch.tensor(self.target[i + self.window - 1])


def make_loader(cfg):
    bars = pd.read_csv(cfg.csv_path, parse_dates=["date"])
    parts = [WindowDataset(add_features(g), cfg.window) for _, g in bars.groupby("ticker")]
    return DataLoader(ConcatDataset(parts), batch_size=cfg.batch_size)
