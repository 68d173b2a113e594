"""LG201: anchors are filled with the number of classes."""
import torch
from torch import nn

NUM_CLASSES = 4


def assign(gt, n):
    labels = torch.full((n,), NUM_CLASSES)  # guilty
    labels[: len(gt)] = gt
    return labels


torch.manual_seed(0)
head = nn.Linear(8, NUM_CLASSES)
for step in range(3):
    feats = torch.randn(12, 8)
    gt = torch.randint(0, NUM_CLASSES, (5,))
    target = assign(gt, 12)
    loss = nn.functional.cross_entropy(head(feats), target)
    loss.backward()
