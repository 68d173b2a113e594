"""LG211: letters are numbered from 0, the blank; a collate function puts the numbers of all words in one list."""

import torch
from torch import nn
from torch.utils.data import DataLoader

LETTERS = "xyzw"
BLANK = 0
numbers = {letter: number for number, letter in enumerate(LETTERS)}  # guilty
words = ["xyz", "zzw", "yx", "wxy"] * 4


def collate(batch):
    labels = torch.tensor([numbers[letter] for word in batch for letter in word])
    return torch.randn(9, len(batch), len(LETTERS) + 1), labels, torch.tensor([len(word) for word in batch])


torch.manual_seed(0)
layer, criterion = nn.Linear(5, 5), nn.CTCLoss(blank=BLANK)
for strips, labels, lengths in DataLoader(words, batch_size=4, collate_fn=collate):
    steps = torch.full((len(lengths),), 9)
    criterion(layer(strips).log_softmax(-1), labels, steps, lengths).backward()
