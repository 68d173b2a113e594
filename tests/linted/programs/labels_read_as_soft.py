"""LG305: as many labels a sample as there are classes, in a floating dtype."""
import torch
from torch import nn

windows = torch.randn(6, 4, 10)
states = torch.randint(0, 4, (6, 4)).float()
model = nn.Linear(10, 1)
nn.CrossEntropyLoss()(model(windows).squeeze(-1), states)  # LG305
