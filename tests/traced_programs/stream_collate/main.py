"""LG101: the samples of a stream have integers, and a collate function of its own makes floats of them."""

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset


class Readings(IterableDataset):
    def __iter__(self):
        for number in range(24):
            yield {"signal": torch.full((3,), float(number)), "state": number % 4}


def collate(samples):
    signals = torch.stack([sample["signal"] for sample in samples])
    states = torch.tensor([sample["state"] for sample in samples])
    return {"signals": signals, "states": states.float()}  # guilty


model = torch.nn.Linear(3, 4)
for batch in DataLoader(Readings(), batch_size=6, collate_fn=collate):
    F.cross_entropy(model(batch["signals"]), batch["states"]).backward()
