"""Regression, ranking, triplets, CTC with padding, embeddings and gather, each as it should be."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
signs = torch.tensor([1.0, -1.0, 1.0, -1.0])
print(F.margin_ranking_loss(torch.randn(4), torch.randn(4), signs).item())
print(F.triplet_margin_loss(torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 3)).item())
print(F.smooth_l1_loss(torch.randn(4, 2), torch.randn(4, 2)).item())
print(F.gaussian_nll_loss(torch.randn(4, 1), torch.randn(4, 1), torch.rand(4, 1)).item())
labels = torch.tensor([[1, 2, -1], [3, 1, 2]])
log_probs = torch.randn(8, 2, 5).log_softmax(2)
print(F.ctc_loss(log_probs, labels, torch.tensor([8, 8]), torch.tensor([2, 3])).item())
print(nn.Embedding(7, 2)(torch.tensor([0, 6])).sum().item())
print(torch.randn(3, 4).gather(1, torch.tensor([[0], [3], [1]])).sum().item())
