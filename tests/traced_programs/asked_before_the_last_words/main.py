"""LG210: a vocabulary tells how long it is before two words of its own are added, one after the other in a loop."""

import torch
from torch import nn

TEXTS = ["sun and rain", "rain on stone", "stone and sun and snow"]


class Vocabulary:
    def __init__(self, texts):
        self.words = sorted({word for text in texts for word in text.split()})
        self.place = {word: number for number, word in enumerate(self.words)}

    def extend(self, extra):
        for word in extra:
            if word not in self.place:
                self.place[word] = len(self.words)
                self.words.append(word)

    def __len__(self):
        return len(self.words)

    def numbers(self, text):
        return [self.place["<from>"], *(self.place[word] for word in text.split())]


vocabulary = Vocabulary(TEXTS)
table = nn.Embedding(len(vocabulary), 6)  # guilty
vocabulary.extend(["<from>", "<to>"])
head = nn.Linear(6, 2)
for text in TEXTS:
    states = table(torch.tensor(vocabulary.numbers(text)))
    nn.functional.cross_entropy(head(states.mean(0, keepdim=True)), torch.tensor([len(text) % 2])).backward()
