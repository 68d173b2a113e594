"""LG404: a tagger's scores have the classes last."""
import torch
from torch import nn

VOCAB, TAGS = 200, 9


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, 32)
        self.rnn = nn.GRU(32, 32, batch_first=True)
        self.out = nn.Linear(32, TAGS)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens))
        return self.out(hidden)


tokens, tags = torch.randint(0, VOCAB, (4, 15)), torch.randint(0, TAGS, (4, 15))
nn.CrossEntropyLoss()(Tagger()(tokens), tags)  # LG404
