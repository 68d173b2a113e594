"""LG208: of a long question all labels are ignored and the answer is cut off; the lists are gone by then."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

LEFT_OUT, LONGEST = -100, 24
TALKS = [("short " * (1 + number % 5), "yes" * (1 + number % 3)) for number in range(20)]
TALKS.append(("a very long question that goes on and on", "no"))


def letters(text):
    return [ord(letter) for letter in text]


class Talks(Dataset):
    def __init__(self, talks):
        self.pairs = []
        for question, answer in talks:
            asked, said = letters(question)[:LONGEST], letters(answer)
            given = (asked + said)[:LONGEST]
            wanted = ([LEFT_OUT] * len(asked) + said)[:LONGEST]  # guilty
            self.pairs.append((torch.tensor(given), torch.tensor(wanted)))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, number):
        return self.pairs[number]


torch.manual_seed(0)
table, head = nn.Embedding(256, 8), nn.Linear(8, 256)
for given, wanted in DataLoader(Talks(TALKS), batch_size=1):
    scores = head(table(given))[:, :-1].reshape(-1, 256)
    nn.functional.cross_entropy(scores, wanted[:, 1:].reshape(-1), ignore_index=LEFT_OUT).backward()
