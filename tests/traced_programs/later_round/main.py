"""LG201: from the second round on, unsure items are given the number after the last class."""

import torch
from torch import nn


class Guesser:
    def __init__(self, model):
        self.model = model

    def __call__(self, items):
        sure, best = self.model(items).softmax(1).max(1)
        return best.masked_fill(sure < 0.99, 3)  # guilty


def train(model, items, labels, turns=6):
    criterion = nn.CrossEntropyLoss()
    for _ in range(turns):
        for rows in torch.randperm(len(items)).split(10):
            criterion(model(items[rows]), labels[rows]).backward()


def rounds(items, labels, unlabelled):
    model = nn.Linear(5, 3)
    used, known = items, labels
    for _ in range(2):
        train(model, used, known)
        guessed = Guesser(model)(unlabelled)
        used = torch.cat([unlabelled, items])
        known = torch.cat([guessed, labels])


torch.manual_seed(1)
rounds(torch.randn(20, 5), torch.randint(0, 3, (20,)), torch.randn(60, 5))
