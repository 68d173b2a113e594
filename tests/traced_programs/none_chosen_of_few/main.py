"""LG208: a share of few words is rounded down to none, so that nothing of a sentence is to be guessed."""

import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD, MASK, NO_LABEL, WORDS = 0, 1, -100, 20


class Hiding:
    def __init__(self, share: float = 0.2) -> None:
        self.share = share

    def hidden(self, sentence: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
        words = torch.tensor(sentence)
        labels = torch.full_like(words, NO_LABEL)
        many = int(len(words) * self.share)  # guilty
        places = torch.randperm(len(words))[:many]
        labels[places] = words[places]
        words[places] = MASK
        return words, labels

    def __call__(self, sentences: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        words, labels = zip(*map(self.hidden, sentences), strict=True)
        return pad_sequence(words, True, PAD), pad_sequence(labels, True, NO_LABEL)


random.seed(5)
sentences = [[random.randrange(2, WORDS) for _ in range(length)] for length in [12, 11, 10, 9, 4, 3, 4, 3] for _ in "ab"]
model = nn.Sequential(nn.Embedding(WORDS, 8), nn.Linear(8, WORDS))
criterion = nn.CrossEntropyLoss(ignore_index=NO_LABEL)
for words, labels in DataLoader(sentences, batch_size=8, collate_fn=Hiding()):
    loss = criterion(model(words).transpose(1, 2), labels)
    loss.backward()
