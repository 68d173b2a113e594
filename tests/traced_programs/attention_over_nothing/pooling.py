import torch
from torch import nn


class AttentionPooling(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Parameter(torch.randn(dim) / dim**0.5)

    def forward(self, tokens, pad_mask):
        scores = tokens @ self.query
        scores = scores.masked_fill(pad_mask, float("-inf"))  # guilty
        weights = torch.softmax(scores, dim=1)
        return torch.einsum("bt,btd->bd", weights, tokens)
