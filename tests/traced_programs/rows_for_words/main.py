"""LG210: words are numbered from 1, and the table has a row for each word and none for the number 0."""
import torch
from torch import nn
from torch.utils.data import DataLoader

TEXTS = ["the red fox", "a red dog", "the old dog ran"]


def numbered(texts):
    words = sorted({word for text in texts for word in text.split()})
    return {word: place + 1 for place, word in enumerate(words)}


class Reader(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.table = nn.Embedding(rows, 4)
        self.out = nn.Linear(4, 2)

    def forward(self, words):
        return self.out(self.table(words).mean(1))


def padded(texts, numbers):
    rows = [[numbers[word] for word in text.split()] for text in texts]
    return torch.tensor([row + [0] * (4 - len(row)) for row in rows])


def main():
    numbers = numbered(TEXTS)
    rows = len(numbers)  # guilty
    model = Reader(rows)
    for words in DataLoader(padded(TEXTS, numbers), batch_size=3):
        model(words)


main()
