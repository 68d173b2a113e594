"""LG210: the number that pads sentences is one more than the table has."""
import torch
from torch import nn

VOCABULARY = {"turn": 0, "on": 1, "off": 2, "the": 3, "light": 4}
PADDING = len(VOCABULARY)
LONGEST = 5
SENTENCES = ["turn on the light", "light off"]


def numbers(sentence):
    found = [VOCABULARY[word] for word in sentence.lower().split()]
    return found + [PADDING] * (LONGEST - len(found))


table = nn.Embedding(len(VOCABULARY), 3)
table(torch.tensor([numbers(sentence) for sentence in SENTENCES]))  # LG210
