"""LG101: the collate function stacks integers as floats."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return {"x": torch.ones(3), "y": index % 5}


def collate(samples):
    features = torch.stack([sample["x"] for sample in samples])
    labels = torch.FloatTensor([sample["y"] for sample in samples])  # guilty
    return {"x": features, "labels": labels}


model = nn.Linear(3, 5)
for batch in DataLoader(Numbers(), batch_size=8, collate_fn=collate, num_workers=WORKERS):
    loss = nn.CrossEntropyLoss()(model(batch["x"]), batch["labels"])
