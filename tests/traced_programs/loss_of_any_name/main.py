"""LG301: a loss that an object keeps under a short name gets scores that were only scaled."""
import torch
from torch import nn


class Pupil:
    def __init__(self, warmth=2.0):
        self.net, self.warmth = nn.Linear(4, 3), warmth
        self.gap = nn.KLDivLoss(reduction="batchmean")

    def scaled(self, scores):
        return scores / self.warmth  # guilty

    def compared(self, x, wanted):
        return self.gap(self.scaled(self.net(x)), self.shares(wanted)) * self.warmth

    def shares(self, wanted):
        return (wanted / self.warmth).softmax(dim=1)


torch.manual_seed(0)
pupil = Pupil()
for _ in range(4):
    pupil.compared(5 * torch.randn(16, 4), torch.randn(16, 3)).backward()
