"""LG202: tokens that are not to be predicted get -1."""
import torch
import torch.nn.functional as F

tokens = torch.randint(0, 50, (4, 12))
chosen = torch.rand(4, 12) < 0.15
labels = tokens.masked_fill(~chosen, -1)
logits = torch.randn(4, 12, 50)
loss = F.cross_entropy(logits.transpose(1, 2), labels)  # LG202
