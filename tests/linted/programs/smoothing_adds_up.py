"""LG304: smoothing gives to all classes and takes from none."""
import torch
import torch.nn.functional as F
from torch import nn

EPS, CLASSES = 0.1, 5


class Smoother:
    def __init__(self, eps, classes):
        self.eps, self.classes = eps, classes

    def __call__(self, labels):
        return F.one_hot(labels, self.classes).float() + self.eps / self.classes


model, smooth = nn.Linear(3, CLASSES), Smoother(EPS, CLASSES)
F.cross_entropy(model(torch.randn(4, 3)), smooth(torch.randint(0, CLASSES, (4,))))  # LG304
