"""LG208: an `__init__` cuts questions and answers to a length, of the longest of which no answer is left."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORDS = 20
LEFT_OUT = -100


class Questions(Dataset):
    def __init__(self, pairs, longest):
        self.samples = []
        for question, answer in pairs:
            tokens = [*question, *answer][:longest]
            wanted = [LEFT_OUT] * len(question) + answer
            wanted = wanted[:longest]  # guilty
            padding = longest - len(tokens)
            self.samples.append((tokens + [0] * padding, wanted + [LEFT_OUT] * padding))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, place):
        tokens, wanted = self.samples[place]
        return torch.tensor(tokens), torch.tensor(wanted)


def pairs(many):
    lengths = [3 + place // 6 for place in range(many)]
    return [([1 + step % (WORDS - 2) for step in range(length)], [2, 3, 1]) for length in lengths]


def main():
    torch.manual_seed(0)
    loader = DataLoader(Questions(pairs(96), longest=14), batch_size=8)
    model = nn.Sequential(nn.Embedding(WORDS, 16), nn.Linear(16, WORDS))
    optimizer = torch.optim.Adam(model.parameters())
    for tokens, wanted in loader:
        loss = F.cross_entropy(model(tokens).transpose(1, 2), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
