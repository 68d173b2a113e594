import torch
from torch import nn


class Composer(nn.Module):
    def __init__(self, notes, dim=24, hidden=48):
        super().__init__()
        self.embed = nn.Embedding(notes, dim)
        self.cell = nn.LSTMCell(dim, hidden)
        self.head = nn.Linear(hidden, notes)
        self.hidden = hidden

    def start(self, batch, device):
        zero = torch.zeros(batch, self.hidden, device=device)
        return zero, zero

    def forward(self, given):
        vectors = self.embed(given)
        h, c = self.start(given.shape[0], given.device)
        scores = []
        for step in range(given.shape[1]):
            h, c = self.cell(vectors[:, step], (h, c))
            scores.append(self.head(h))
        return torch.stack(scores, dim=1)  # guilty
