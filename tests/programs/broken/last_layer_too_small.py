"""Ten classes in the data, nine in the model; raised from deep inside a user's own loss.

expect: LG201 exit=1
"""

import torch
from torch import nn


class Smooth(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.CrossEntropyLoss(label_smoothing=0.1)

    def forward(self, logits, labels):
        return self.inner(logits, labels)  # here


try:
    Smooth()(torch.randn(10, 9), torch.arange(10))
except IndexError as error:
    raise RuntimeError("training failed") from error
