"""Gpt style minus one."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(30, 16)
head = nn.Linear(16, 30, bias=False)
for _ in range(5):
    idx = torch.randint(30, (3, 9))
    tgt = torch.cat([idx[:, 1:], torch.full((3, 1), -1)], 1)
    logits = head(emb(idx))
    loss = F.cross_entropy(logits.view(-1, logits.size(-1)), tgt.view(-1), ignore_index=-1)
    loss.backward()
    print(loss.item())
