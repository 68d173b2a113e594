"""LG208: labels that are left out have a name for their number, and one sample has no others."""
import torch
from torch import nn
from torch.utils.data import DataLoader

LEFT_OUT = -100


def labelled(question, answer, longest):
    labels = ([LEFT_OUT] * question + [1] * answer)[:longest]  # guilty
    return torch.tensor(labels + [LEFT_OUT] * (longest - len(labels)))


samples = [labelled(question, 2, 6) for question in (2, 3, 8)]
model = nn.Linear(1, 2)
for labels in DataLoader(samples, batch_size=1):
    nn.functional.cross_entropy(model(torch.rand(6, 1)), labels[0])
