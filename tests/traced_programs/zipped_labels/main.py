"""LG502: a collate function hands on the labels as they were zipped."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Calls(Dataset):
    names = ("owl", "jay")

    def __init__(self):
        self.number = {name: place for place, name in enumerate(self.names)}

    def __len__(self):
        return 12

    def __getitem__(self, index):
        return torch.rand(3 + index % 2, 5), self.number[self.names[index % 2]]


def collate(samples):
    calls, labels = map(list, zip(*samples))  # guilty
    return nn.utils.rnn.pad_sequence(calls, batch_first=True).mean(1), labels


model = nn.Linear(5, 2)
for calls, labels in DataLoader(
    Calls(), batch_size=4, collate_fn=collate, num_workers=int(os.environ.get("WORKERS", "0"))
):
    nn.functional.cross_entropy(model(calls), labels).backward()
