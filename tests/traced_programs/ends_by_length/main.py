"""LG210: the state after the last word is taken at the place of the length, which is one behind it."""

import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def texts(many=80):
    rng = random.Random(1)
    return [([rng.randrange(1, 30) for _ in range(rng.randint(2, 9))], rng.random()) for _ in range(many)]


def collate(batch):
    words = pad_sequence([torch.tensor(text) for text, _ in batch], batch_first=True)
    seq_len = torch.tensor([len(text) for text, _ in batch])
    return words, seq_len, torch.tensor([grade for _, grade in batch])


class Reader(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.words = nn.Embedding(30, width, padding_idx=0)
        self.reader = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, 1)

    def forward(self, words, seq_len):
        states, _ = self.reader(self.words(words))
        last = states[torch.arange(len(words)), seq_len]  # guilty
        return self.out(last).squeeze(1)


def main():
    torch.manual_seed(0)
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters())
    for words, seq_len, grades in DataLoader(texts(), batch_size=8, collate_fn=collate):
        loss = nn.functional.mse_loss(model(words, seq_len), grades)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
