"""LG201: the id of unknown words is one past the vocabulary; the embedding has a row for it, the head no class."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Vocab:
    def __init__(self, words):
        self.table = {w: i for i, w in enumerate(words)}
        self.unk = len(self.table)
    def __len__(self): return len(self.table)
    def ids(self, text):
        return [self.table.get(w, self.unk) for w in text.split()]

class Lines(Dataset):
    def __init__(self, lines, vocab):
        self.lines, self.vocab = lines, vocab
    def __len__(self): return len(self.lines)
    def __getitem__(self, i):
        ids = self.vocab.ids(self.lines[i])
        return torch.tensor(ids[:-1]), torch.tensor(ids[1:])

lines = ["a b c d", "b c a e", "d a b c", "c c a b"]
vocab = Vocab(["a", "b", "c", "d"])

class LM(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.emb = nn.Embedding(size + 1, 6)
        self.out = nn.Linear(6, size)  # guilty
    def forward(self, x):
        return self.out(self.emb(x))
model = LM(len(vocab))
for xb, yb in DataLoader(Lines(lines, vocab), batch_size=2):
    loss = F.cross_entropy(model(xb).flatten(0, 1), yb.flatten())
