"""LG108: a loss without a kernel for half precision on the CPU."""
import torch
from torch import nn

model = nn.Linear(4, 3)
log_probs = torch.log_softmax(model(torch.randn(30, 2, 4)), 2).half()
targets = torch.randint(1, 3, (2, 5))
nn.CTCLoss()(log_probs, targets, torch.full((2,), 30), torch.full((2,), 5))  # LG108
