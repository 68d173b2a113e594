"""LG201: the vocabulary of labels is built with a special entry, and the head is not."""

import os
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Vocab:
    def __init__(self, tokens, specials=("<unk>",)):
        counter = Counter(tokens)
        self.itos = list(specials) + sorted(counter)  # guilty
        self.stoi = {s: i for i, s in enumerate(self.itos)}

    def __getitem__(self, token):
        return self.stoi.get(token, 0)

    def __len__(self):
        return len(self.itos)


class News(Dataset):
    def __init__(self, rows, vocab):
        self.rows, self.vocab = rows, vocab

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        text, topic = self.rows[i]
        return torch.tensor([len(text), text.count("a")], dtype=torch.float32), self.vocab[topic]


rows = [("a cat sat", "pets"), ("stocks fell", "money"), ("goal", "sport"), ("bank rate", "money"), ("a dog", "pets"), ("cup final", "sport")]
vocab = Vocab([topic for _, topic in rows])
model = nn.Linear(2, len({topic for _, topic in rows}))
for x, y in DataLoader(News(rows, vocab), batch_size=3, num_workers=int(os.environ.get("WORKERS", "0"))):
    nn.CrossEntropyLoss()(model(x), y)
