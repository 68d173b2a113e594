import torch
import torch.nn.functional as F
from torch import nn


class RecipeLM(nn.Module):
    def __init__(self, vocabulary_size: int, dim: int = 32, layers: int = 1, dropout: float = 0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary_size, dim)
        self.drop = nn.Dropout(dropout)
        self.rnn = nn.GRU(dim, dim, layers, batch_first=True)
        self.bias = nn.Parameter(torch.zeros(vocabulary_size))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        states, _ = self.rnn(self.drop(self.tokens(ids)))
        return F.linear(states, self.tokens.weight, self.bias)

    def loss(self, ids: torch.Tensor, padding: int) -> torch.Tensor:
        logits = self(ids[:, :-1])
        return F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], ignore_index=padding)
