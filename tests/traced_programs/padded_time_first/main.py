"""LG405: pad_sequence puts the time first for the labels alone."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from torch.nn.utils.rnn import pad_sequence


class Tags(Dataset):
    def __len__(self): return 30
    def __getitem__(self, i):
        n = 4 + i % 5
        return torch.randint(0, 50, (n,)), torch.randint(0, 4, (n,))

def collate(items):
    xs, ys = zip(*items)
    x = pad_sequence(xs, batch_first=True)
    y = pad_sequence(ys, padding_value=-100)  # guilty
    return x, y

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 8)
        self.lstm = nn.LSTM(8, 12, batch_first=True)
        self.out = nn.Linear(12, 4)
    def forward(self, x):
        h, _ = self.lstm(self.emb(x))
        return self.out(h).transpose(1, 2)

model = Tagger()
for x, y in DataLoader(Tags(), batch_size=6, collate_fn=collate):
    loss = F.cross_entropy(model(x), y)
