"""LG211: the letters are numbered from 0, which is the blank."""
import torch
from torch import nn

ALPHABET = "abcdeilnrst"
WORDS = ["banter", "cabin", "lantern", "words"]
WORDS = [word for word in WORDS if set(word) <= set(ALPHABET)]
NUMBERS = {letter: number for number, letter in enumerate(ALPHABET)}


def encode(word):
    return torch.tensor([NUMBERS[letter] for letter in word])


def main():
    codes = [encode(word) for word in WORDS]
    lengths = torch.tensor([len(code) for code in codes])
    log_probs = torch.randn(30, len(WORDS), len(ALPHABET) + 1).log_softmax(2)
    nn.CTCLoss()(log_probs, torch.cat(codes), torch.full((len(WORDS),), 30), lengths)  # LG211


if __name__ == "__main__":
    main()
