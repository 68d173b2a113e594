"""Reinforce scaled logprobs."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
pi = nn.Linear(4, 3)
for _ in range(5):
    adv = torch.randn(16, 1)
    logp = pi(torch.randn(16, 4)).log_softmax(1) * adv
    loss = F.nll_loss(logp, torch.randint(3, (16,)))
    loss.backward()
    print(loss.item())
