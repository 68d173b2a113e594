"""LG201: a decorated method makes a dataset of its own, with a number that is no class."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Learner:
    def __init__(self):
        self.many = 3
        self.model = nn.Linear(4, self.many)
        self.known = TensorDataset(torch.randn(40, 4), torch.randint(0, 3, (40,)))
        self.rest = torch.randn(60, 4)

    @torch.no_grad()
    def labelled(self):
        sure, best = self.model(self.rest).softmax(1).max(1)
        best[sure < 0.4] = self.many  # guilty
        return TensorDataset(self.rest, best)

    def pass_over(self, items):
        for values, labels in DataLoader(items, batch_size=10):
            nn.functional.cross_entropy(self.model(values), labels).backward()


torch.manual_seed(0)
learner = Learner()
for turn in range(3):
    learner.pass_over(learner.known if turn < 2 else learner.labelled())
