"""LG304: targets of two views are added, weights by an option that do not sum to 1."""

import torch
import torch.nn.functional as F
from torch import nn


class SelfTraining:
    def __init__(self, model, w_hard=0.7, w_soft=0.5):
        self.model = model
        self.w_hard, self.w_soft = w_hard, w_soft

    def targets(self, x, y):
        with torch.no_grad():
            soft = F.softmax(self.model(x), dim=1)
        hard = F.one_hot(y, 3).float()
        return self.w_hard * hard + self.w_soft * soft  # guilty

    def step(self, x, y):
        target = self.targets(x, y)
        return F.cross_entropy(self.model(x), target)


torch.manual_seed(0)
trainer = SelfTraining(nn.Linear(4, 3))
trainer.step(torch.randn(8, 4), torch.arange(8) % 3)
