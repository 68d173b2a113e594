"""LG208: every label of the unlabelled part is the ignore index."""
import torch
from torch import nn

IGNORE = -100
labels = torch.full((8,), IGNORE)
model = nn.Linear(4, 3)
loss = nn.CrossEntropyLoss(ignore_index=IGNORE)(model(torch.randn(8, 4)), labels)  # LG208
