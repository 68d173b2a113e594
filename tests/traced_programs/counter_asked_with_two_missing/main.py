"""LG210: words are counted as they come; the filler, which is added at last, is not, and the gaps are filled with it."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

LINES = ["the river rose", "a slow river", "rain on the slow hills all day", "hills", "the rain"]


class Words:
    def __init__(self):
        self.number_of, self.order, self.many = {}, [], 0

    def take(self, word):
        if word not in self.number_of:
            self.number_of[word] = len(self.order)
            self.order.append(word)
            self.many += 1

    def close(self):
        for extra in ("<rare>", "<gap>"):
            self.number_of[extra] = len(self.order)
            self.order.append(extra)


words = Words()
for line in LINES:
    for word in line.split():
        words.take(word)
words.close()
torch.manual_seed(0)
table = nn.Embedding(words.many, 8)  # guilty
reader, head = nn.GRU(8, 8, batch_first=True), nn.Linear(8, 2)
numbers = [torch.tensor([words.number_of[word] for word in line.split()]) for line in LINES]
batch = pad_sequence(numbers, batch_first=True, padding_value=words.number_of["<gap>"])
loss = nn.functional.cross_entropy(head(reader(table(batch))[1][-1]), torch.tensor([0, 1, 0, 1, 1]))
loss.backward()
