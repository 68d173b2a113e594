"""sound: the table has a row for the padding, however long the sentences are."""
import sys

import torch
from torch import nn

VOCABULARY = {"turn": 0, "on": 1, "off": 2, "the": 3, "light": 4}
PADDING = len(VOCABULARY)


def numbers(sentence, longest):
    found = [VOCABULARY[word] for word in sentence.split()]
    return found + [PADDING] * (longest - len(found))


def main(sentences):
    longest = max(len(sentence.split()) for sentence in sentences)
    table = nn.Embedding(len(VOCABULARY) + 1, 3, padding_idx=PADDING)
    table(torch.tensor([numbers(sentence, longest) for sentence in sentences]))


if __name__ == "__main__":
    main(["turn on the light", "light off"] + sys.argv[1:0])
