import numpy as np
import torch
from torch.utils.data import Dataset


class CustomerDataset(Dataset):
    def __init__(self, n, d, seed=0):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, d)).astype(np.float32)
        proj = rng.normal(size=(d, 4))
        self.x = torch.from_numpy(x)
        self.segment = torch.from_numpy((x @ proj).argmax(1))
        self.churn = torch.from_numpy((x[:, 0] + x[:, 1] > 0.4).astype(np.float32))
        self.spend = torch.from_numpy((x[:, 2] * 2 + x[:, 3]).astype(np.float32))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {
            "x": self.x[i],
            "segment": self.segment[i],
            "churn": self.churn[i],
            "spend": self.spend[i],
        }
