"""LG403: the scores of a language model are shifted and the tokens are not."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LM(nn.Module):
    def __init__(self, vocab=13, dim=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        h, _ = self.rnn(self.emb(ids))
        return self.out(h)


def loss_of(model, ids, loss_fct):
    logits = model(ids)
    shift_logits = logits[:, :-1, :].contiguous()  # guilty
    shift_labels = ids
    return loss_fct(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1))


ids = torch.randint(0, 13, (12, 7))
model = LM()
for (batch,) in DataLoader(TensorDataset(ids), batch_size=4, num_workers=int(os.environ.get("WORKERS", "0"))):
    loss_of(model, batch, nn.CrossEntropyLoss())
