"""Seq2seq padding."""

import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(20, 8, padding_idx=0)
gru = nn.GRU(8, 16, batch_first=True)
head = nn.Linear(16, 20)
crit = nn.CrossEntropyLoss(ignore_index=0)
for _ in range(5):
    t = torch.randint(1, 20, (4, 7))
    t[0, 4:] = 0
    t[1, 5:] = 0
    out, _h = gru(emb(t[:, :-1]))
    logits = head(out)
    loss = crit(logits.reshape(-1, 20), t[:, 1:].reshape(-1))
    loss.backward()
    print(loss.item())
