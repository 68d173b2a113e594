"""Padding in language models (-100), void in masks (255), negative infinities for masked classes."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
tokens = torch.randint(50, (2, 9))
tokens[1, 5:] = -100
logits = torch.randn(2, 9, 50)
print(F.cross_entropy(logits.transpose(1, 2), tokens).item())
mask = torch.randint(3, (2, 4, 4))
mask[0, 0] = 255
print(F.cross_entropy(torch.randn(2, 3, 4, 4), mask, ignore_index=255).item())
masked = torch.randn(4, 3).masked_fill(torch.tensor([False, False, True]), float("-inf"))
print(F.cross_entropy(masked, torch.tensor([0, 1, 0, 1])).item())
