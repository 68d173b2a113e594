"""Char rnn packed."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
seqs = [torch.randint(1, 15, (n,)) for n in (7, 5, 3)]
x = pad_sequence(seqs, batch_first=True)
lens = torch.tensor([7, 5, 3])
emb, rnn, head = nn.Embedding(15, 6, padding_idx=0), nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 15)
for _ in range(4):
    o, _h = rnn(pack_padded_sequence(emb(x[:, :-1]), lens - 1, batch_first=True))
    o, _n = pad_packed_sequence(o, batch_first=True)
    y = pad_sequence([s[1:] for s in seqs], batch_first=True, padding_value=-100)
    loss = F.cross_entropy(head(o).flatten(0, 1), y.flatten())
    loss.backward()
    print(loss.item())
