"""LG210: the longest text of the training part tells how many positions there are."""

import math

import torch
from torch import nn

from pipeline import batches, build_corpus


class ReviewLM(nn.Module):
    def __init__(self, vocab_size, max_positions, dim=24):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, dim)
        self.pos = nn.Embedding(max_positions, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab_size)

    def forward(self, ids):
        positions = torch.arange(ids.size(1)).expand_as(ids)
        h, _ = self.rnn(self.tok(ids) + self.pos(positions))
        return self.out(h)


def epoch_loss(model, criterion, data, size, opt=None):
    total, count = 0.0, 0
    for x, y in batches(data, size):
        logits = model(x)
        loss = criterion(logits.flatten(0, 1), y.flatten())
        if opt:
            opt.zero_grad()
            loss.backward()
            opt.step()
        total += loss.item()
        count += 1
    return total / count


def main():
    torch.manual_seed(0)
    corpus = build_corpus()
    model = ReviewLM(corpus.vocab_size, corpus.max_positions)
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(3):
        train = epoch_loss(model, criterion, corpus.train, 16, opt)
        with torch.no_grad():
            valid = epoch_loss(model, criterion, corpus.valid, 16)
        print(f"epoch {epoch} ppl train {math.exp(train):.2f} valid {math.exp(valid):.2f}")


if __name__ == "__main__":
    main()
