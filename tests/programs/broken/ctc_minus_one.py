"""A CTC label of -1: torch alone corrupts the heap and aborts.

expect: LG211 exit=1
"""

import torch
import torch.nn.functional as F

log_probs = torch.randn(10, 2, 5).log_softmax(2).requires_grad_()
targets = torch.tensor([[1, -1, 2], [3, 2, 1]])
loss = F.ctc_loss(log_probs, targets, torch.tensor([10, 10]), torch.tensor([3, 3]))  # here
loss.backward()
