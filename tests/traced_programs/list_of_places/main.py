"""LG502: a collate function collects the labels in a list, each the place of a word in a list of words."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

KINDS = sorted({"verb", "noun", "name"})


class Words(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, number):
        return torch.rand(2), KINDS.index(KINDS[number % 3])


def collate(batch):
    batch = sorted(batch, key=lambda pair: float(pair[0].sum()))
    labels = [pair[1] for pair in batch]  # guilty
    return torch.stack([pair[0] for pair in batch]), labels


model = nn.Linear(2, 3)
for x, y in DataLoader(Words(), batch_size=4, collate_fn=collate):
    nn.functional.cross_entropy(model(x), y)
