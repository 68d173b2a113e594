"""LG208: only the first tokens are kept, and of a long question no answer is left."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PAIRS = [([3, 4], [5, 6]), ([7], [8, 9, 2]), ([3, 9, 4, 7, 8, 5, 6, 3, 4], [2]), ([6, 5], [4])]


class Turns(Dataset):
    def __init__(self, pairs, room=8):
        self.pairs, self.room = pairs, room

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        question, answer = self.pairs[i]
        tokens = torch.tensor(question + answer)
        wanted = torch.full_like(tokens, -100)
        wanted[len(question) :] = tokens[len(question) :]
        return tokens[: self.room], wanted[: self.room]  # guilty


net = nn.Sequential(nn.Embedding(10, 6), nn.Linear(6, 10))
for tokens, wanted in DataLoader(Turns(PAIRS), batch_size=1):
    nn.functional.cross_entropy(net(tokens).flatten(0, 1), wanted.flatten())
