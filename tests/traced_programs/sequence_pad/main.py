"""LG202: sequences are padded with -1."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence
tags = [torch.tensor([0, 1, 2]), torch.tensor([1, 2]), torch.tensor([0])]
def collate(items):
    return pad_sequence(items, batch_first=True, padding_value=-1)  # guilty
y = collate(tags)
logits = torch.randn(3, 3, 3, requires_grad=True)
loss = F.cross_entropy(logits.transpose(1, 2), y)
