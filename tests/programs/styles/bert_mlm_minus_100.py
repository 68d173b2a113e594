"""Bert mlm minus 100."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(30, 16)
enc = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
head = nn.Linear(16, 30)
for _ in range(4):
    ids = torch.randint(30, (3, 9))
    labels = ids.clone()
    m = torch.rand(3, 9) < 0.15
    m[0, 0] = True
    labels[~m] = -100
    ids[m] = 1
    out = head(enc(emb(ids)))
    loss = F.cross_entropy(out.transpose(1, 2), labels)
    loss.backward()
    print(loss.item())
