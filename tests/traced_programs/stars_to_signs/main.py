"""LG202: conditions within conditions of a lambda give -1 for some of the rows."""
import os

import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

df = pd.DataFrame({"text": ["good value", "bad", "it is ok", "bad screen"] * 6, "stars": [5, 1, 3, 2] * 6})
df["label"] = df["stars"].apply(lambda s: -1 if s < 3 else (0 if s == 3 else 1))  # guilty


def collate(samples):
    lengths, labels = [], []
    for text, label in samples:
        lengths.append([float(len(text)), float(text.count(" "))])
        labels.append(label)
    return torch.tensor(lengths), torch.tensor(labels)


reviews = list(zip(df["text"], df["label"]))
loader = DataLoader(reviews, batch_size=8, collate_fn=collate, num_workers=int(os.environ.get("WORKERS", "0")))
model = nn.Linear(2, 3)
for features, labels in loader:
    F.cross_entropy(model(features), labels)
