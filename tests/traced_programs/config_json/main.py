"""LG201: numbers of classes begin where the settings say."""
import torch
import torch.nn.functional as F
from torch import nn
CONFIG = {"classes": ["a", "b", "c"], "start": 1}
def index_of(name):
    return CONFIG["classes"].index(name) + CONFIG["start"]  # guilty
names = ["a", "c", "b", "c"]
labels = list(map(index_of, names))
loss = F.cross_entropy(nn.Linear(2, 3)(torch.randn(4, 2)), torch.tensor(labels))
