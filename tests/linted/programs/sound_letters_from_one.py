"""sound: letters are numbered from 1, and 0 is the blank."""
import torch
from torch import nn

ALPHABET = "abcdefghij"
log_probs = torch.randn(30, 4, len(ALPHABET) + 1).log_softmax(2)
targets = torch.randint(0, len(ALPHABET), (4, 8)) + 1
nn.CTCLoss()(log_probs, targets, torch.full((4,), 30), torch.full((4,), 8))
