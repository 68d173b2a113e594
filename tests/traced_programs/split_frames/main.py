"""LG101: a frame is read, cleaned, split and wrapped."""

import os
import io

import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

def split(frame, share):
    count = int(len(frame) * share)
    return frame[:count], frame[count:]


def load(text):
    frame = pd.read_csv(io.StringIO(text))  # guilty
    return frame.dropna()


class Table(Dataset):
    def __init__(self, frame):
        self.frame = frame.reset_index(drop=True)

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, i):
        return torch.ones(3), self.frame.at[i, "label"]


TEXT = "x,label\n" + "\n".join(f"{i}.5,{'' if i == 7 else i % 5}" for i in range(40))
train, valid = split(load(TEXT), 0.8)
data = Table(train)

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
