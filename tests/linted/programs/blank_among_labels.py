"""LG211: letters are numbered from 0, which is the blank."""
import torch
from torch import nn

ALPHABET = "abcdefghij"
log_probs = torch.randn(30, 4, len(ALPHABET)).log_softmax(2)
targets = torch.randint(0, len(ALPHABET), (4, 8))
ctc = nn.CTCLoss()
ctc(log_probs, targets, torch.full((4,), 30), torch.full((4,), 8))  # LG211
