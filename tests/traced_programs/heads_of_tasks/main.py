"""LG206: one of several heads gives scores to a loss of probabilities, called in a comprehension over the tasks."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
        self.identity, self.attributes = nn.Linear(8, 7), nn.Linear(8, 5)

    def forward(self, image):
        h = self.trunk(image)
        return {
            "identity": self.identity(h),
            "attributes": 3 * self.attributes(h),  # guilty
        }


class Losses(nn.Module):
    def __init__(self):
        super().__init__()
        self.terms = nn.ModuleDict({"identity": nn.CrossEntropyLoss(), "attributes": nn.BCELoss()})

    def forward(self, outputs, batch):
        return {name: term(outputs[name], batch[name]) for name, term in self.terms.items()}


torch.manual_seed(21)
model, losses = Net(), Losses()
batch = {"image": torch.randn(16, 6), "identity": torch.arange(16) % 7, "attributes": torch.ones(16, 5)}
outputs = model(batch["image"])
losses(outputs, batch)
