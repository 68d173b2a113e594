"""LG210: settings are made of others with a size that leaves the special words out."""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from tickets import URGENCY, tickets
from vocab import SPECIALS, Vocab


@dataclass(frozen=True)
class ModelConfig:
    vocab_size: int = 0
    dim: int = 16
    filters: int = 12
    widths: tuple = (2, 3)
    pad: int = 0


class TicketCNN(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.embed = nn.Embedding(config.vocab_size, config.dim, padding_idx=config.pad)
        self.convs = nn.ModuleList(nn.Conv1d(config.dim, config.filters, w) for w in config.widths)
        self.head = nn.Linear(config.filters * len(config.widths), len(URGENCY))

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        return self.head(torch.cat([F.relu(conv(x)).amax(-1) for conv in self.convs], dim=1))


class Experiment:
    def __init__(self, n: int = 200, seed: int = 19):
        torch.manual_seed(seed)
        self.raw = tickets(n, seed)
        words = [[w for w in document if w not in SPECIALS] for document, _ in self.raw]
        self.vocab = Vocab(words, min_freq=1)
        self.config = replace(ModelConfig(), vocab_size=len(self.vocab.words), pad=self.vocab.pad)  # guilty
        self.model = TicketCNN(self.config)
        self.optimizer = torch.optim.Adagrad(self.model.parameters(), lr=0.05)

    def collate(self, rows):
        longest = max(len(document) for document, _ in rows)
        ids = torch.full((len(rows), longest), self.vocab.pad)
        for row, (document, _) in zip(ids, rows):
            row[: len(document)] = torch.tensor(self.vocab.encode(document))
        return ids, torch.tensor([URGENCY.index(urgency) for _, urgency in rows])

    def train(self, epochs: int = 3):
        loader = DataLoader(self.raw, batch_size=20, shuffle=True, collate_fn=self.collate)
        for epoch in range(epochs):
            total = 0.0
            for ids, urgency in loader:
                loss = F.cross_entropy(self.model(ids), urgency)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} loss {total / len(loader):.3f}")


if __name__ == "__main__":
    Experiment().train()
