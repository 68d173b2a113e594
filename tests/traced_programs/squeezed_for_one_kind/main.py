"""LG406: of several heads only those that vote yes or no are squeezed, and the one of quantities is not."""

import torch
from torch import nn

KINDS = {"bought": "vote", "minutes": "quantity"}


class Heads(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.trunk = nn.Linear(5, width)
        self.heads = nn.ModuleDict({name: nn.Linear(width, 1) for name in KINDS})

    def forward(self, x):
        states, found = self.trunk(x).relu(), {}
        for name, kind in KINDS.items():
            out = self.heads[name](states)
            found[name] = out.squeeze(1) if kind == "vote" else out  # guilty
        return found


torch.manual_seed(0)
model = Heads(8)
x = torch.randn(16, 5)
truth = {"bought": (x[:, 0] > 0).float(), "minutes": x[:, 1].abs()}
losses = {"vote": nn.BCEWithLogitsLoss(), "quantity": nn.SmoothL1Loss()}
outputs = model(x)
sum(losses[kind](outputs[name], truth[name]) for name, kind in KINDS.items()).backward()
