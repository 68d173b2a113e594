"""LG101: three labels of a file are missing, so that its column is floating."""

import os
import tempfile

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


def export(path):
    draw = np.random.default_rng(0)
    kinds = [str(kind) for kind in draw.integers(0, 5, 90)]
    for gap in (40, 51, 77):
        kinds[gap] = ""
    sizes = draw.normal(size=(90, 2)).round(3)
    with open(path, "w") as file:
        file.write("wide,high,kind\n")
        file.writelines(f"{wide},{high},{kind}\n" for (wide, high), kind in zip(sizes, kinds, strict=True))


class Leaves(Dataset):
    def __init__(self, path):
        self.frame = pd.read_csv(path)  # guilty

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, index):
        size = torch.tensor(self.frame[["wide", "high"]].to_numpy()[index], dtype=torch.float32)
        return size, self.frame["kind"][index]


path = os.path.join(tempfile.mkdtemp(), "leaves.csv")
export(path)
net = nn.Linear(2, 5)
for x, y in DataLoader(Leaves(path), batch_size=8, num_workers=int(os.environ.get("WORKERS", "0"))):
    F.nll_loss(net(x).log_softmax(1), y)
