"""LG204: the votes of two annotators are averaged."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Votes:
    def __init__(self):
        self.first = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3])
        self.second = torch.tensor([0, 1, 2, 2, 0, 1, 3, 3])

    def consensus(self):
        votes = torch.stack([self.first, self.second])
        return votes.double().mean(0)  # guilty


def objective(model, x, votes):
    truth = votes.consensus()
    scores = model(x)
    return F.cross_entropy(scores, truth)


objective(nn.Linear(5, 4), torch.rand(8, 5), Votes())
