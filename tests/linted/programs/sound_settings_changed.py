"""sound: a setting of a class is changed before it is used, and a device is taken over with a dtype."""
import torch
from torch import nn


class Config:
    classes = 3
    width = 8


Config.classes = 5
head = nn.Linear(Config.width, Config.classes)
labels = torch.tensor([0, 4, 2])
nn.functional.cross_entropy(head(torch.randn(3, 8)), labels)
device = "cuda" if torch.cuda.is_available() else "cpu"
scores = head(torch.randn(3, 8)).to(device)
truth = torch.zeros(3, 5).type_as(scores)
nn.functional.binary_cross_entropy_with_logits(scores, truth)
