"""LG203: a rate is 0 / 0 in one of two files of whole numbers, which are gone when the loss is called."""
import os
import tempfile
from pathlib import Path

import campaigns
import torch.nn.functional as F
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = [campaigns.export(Path(folder) / "a", [9, 5]), campaigns.export(Path(folder) / "b", [7, 0, 4])]
        dataset = ConcatDataset([campaigns.load(file) for file in files])
    loader = DataLoader(dataset, batch_size=2, num_workers=int(os.environ.get("WORKERS", "0")))
    model = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid())
    for ads, rate in loader:
        F.binary_cross_entropy(model(ads).flatten(), rate)


main()
