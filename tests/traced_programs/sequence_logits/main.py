"""LG404: the scores of a tagger are given with the classes last, after a transpose too many."""

import os

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD = -100


class Sentences(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        n = 3 + i % 4
        return torch.arange(n), torch.arange(n) % 5


def collate(batch):
    words, tags = zip(*batch)
    return pad_sequence(words, batch_first=True), pad_sequence(tags, batch_first=True, padding_value=PAD)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.conv = nn.Conv1d(8, 5, 1)

    def forward(self, words):
        h = self.emb(words).transpose(1, 2)
        out = self.conv(h)
        return out.transpose(1, 2)  # guilty


model = Tagger()
crit = nn.CrossEntropyLoss(ignore_index=PAD)
for words, tags in DataLoader(Sentences(), batch_size=4, collate_fn=collate, num_workers=int(os.environ.get("WORKERS", "0"))):
    crit(model(words), tags)
