"""LG205: the two classes are called 1 and 2."""
import torch
from torch import nn

labels = torch.randint(1, 3, (16, 1)).float()
model = nn.Linear(4, 1)
nn.functional.binary_cross_entropy_with_logits(model(torch.randn(16, 4)), labels)  # LG205
