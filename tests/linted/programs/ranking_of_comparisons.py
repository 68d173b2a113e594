"""LG212: a comparison says which of two is better."""
import torch
import torch.nn.functional as F
from torch import nn

scorer = nn.Linear(6, 1)
first, second = torch.randn(12, 6), torch.randn(12, 6)
better = (first.sum(1) > second.sum(1)).float()
F.margin_ranking_loss(scorer(first).squeeze(1), scorer(second).squeeze(1), better)  # LG212
