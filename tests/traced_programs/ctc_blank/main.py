"""LG211: characters are numbered from 0, which is the blank."""
import os
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from alphabet import Alphabet

ALPHABET = Alphabet("abcdefgh")


class WordImages(Dataset):
    """Strips of fixed width; each character covers four columns."""

    def __init__(self, n=80, width=24, seed=0):
        rng = random.Random(seed)
        self.words = ["".join(rng.choices(ALPHABET.chars, k=rng.randint(2, 5))) for _ in range(n)]
        self.width = width

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        word = self.words[i]
        strip = 0.1 * torch.randn(self.width, len(ALPHABET.chars))
        for k, c in enumerate(word):
            strip[4 * k:4 * k + 3, ALPHABET.chars.index(c)] += 1.0
        return strip, ALPHABET.encode(word)


def collate(batch):
    strips, labels = zip(*batch)
    lengths = torch.tensor([len(label) for label in labels])
    padded = torch.full((len(labels), int(lengths.max())), -1)
    for row, label in zip(padded, labels):
        row[:len(label)] = torch.tensor(label)
    return torch.stack(strips), padded, lengths


class Reader(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(len(ALPHABET.chars), hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, ALPHABET.size)

    def forward(self, x):
        return self.fc(self.rnn(x)[0]).log_softmax(-1)


torch.manual_seed(0)
loader = DataLoader(WordImages(), batch_size=16, shuffle=True, collate_fn=collate, num_workers=int(os.environ.get("WORKERS", "0")))
model, criterion = Reader(), nn.CTCLoss(blank=ALPHABET.blank)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for strips, labels, lengths in loader:
        log_probs = model(strips).transpose(0, 1)
        steps = torch.full((len(strips),), log_probs.shape[0])
        loss = criterion(log_probs, labels, steps, lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
