"""LG202: tags that a table does not have are looked up as -1."""
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from ner_data import TAGS, NerDataset, read_sentences


class Tagger(nn.Module):
    def __init__(self, vocab_size, n_tags, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * dim, n_tags)

    def forward(self, ids):
        return self.proj(self.rnn(self.embed(ids))[0])


torch.manual_seed(2)
ds = NerDataset(read_sentences())
dl = DataLoader(ds, batch_size=3, num_workers=int(os.environ.get("WORKERS", "0")))
model = Tagger(len(ds.word2id), len(TAGS))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for words, tags in dl:
    loss = nn.functional.cross_entropy(model(words).flatten(0, 1), tags.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print("loss", loss.item())
