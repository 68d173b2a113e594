"""LG403: the states of two layers are joined to the rows of the batch."""

import random
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader


@dataclass
class Config:
    dim: int = 24
    hidden: int = 32
    layers: int = 2
    dropout: float = 0.2
    lr: float = 4e-3
    batch_size: int = 24
    epochs: int = 3
    seed: int = 45


GOOD = "wonderful bright funny moving clever perfect warm".split()
BAD = "boring awful noisy empty slow silly cheap".split()
REST = "the film and plot was with a very acting scene it had some music end".split()


def corpus(n, rng):
    rows = []
    for _ in range(n):
        mood = rng.randint(0, 2)  # 0 bad, 1 mixed, 2 good
        pool = {0: BAD, 1: BAD + GOOD, 2: GOOD}[mood]
        words = [rng.choice(pool) if rng.random() < 0.4 else rng.choice(REST) for _ in range(rng.randint(5, 18))]
        rows.append((words, mood))
    return rows


WORDS = {w: i + 1 for i, w in enumerate(sorted(set(GOOD + BAD + REST)))}


def collate(rows):
    rows = sorted(rows, key=lambda r: len(r[0]), reverse=True)
    seqs = [torch.tensor([WORDS[w] for w in words]) for words, _ in rows]
    lengths = torch.tensor([len(s) for s in seqs])
    labels = torch.tensor([mood for _, mood in rows])
    return pad_sequence(seqs, batch_first=True), lengths, labels


class SentimentGRU(nn.Module):
    def __init__(self, cfg, n_words, n_classes):
        super().__init__()
        self.hidden = cfg.hidden
        self.embedding = nn.Embedding(n_words, cfg.dim, padding_idx=0)
        self.gru = nn.GRU(cfg.dim, cfg.hidden, num_layers=cfg.layers, dropout=cfg.dropout, batch_first=True)
        self.dropout = nn.Dropout(cfg.dropout)
        self.fc = nn.Linear(cfg.hidden, n_classes)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.embedding(x), lengths, batch_first=True)
        _, h_n = self.gru(packed)
        h = h_n.view(-1, self.hidden)  # guilty
        return self.fc(self.dropout(h))


def main(cfg):
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    rng = random.Random(cfg.seed)
    train, valid = corpus(240, rng), corpus(60, rng)
    train_dl = DataLoader(train, cfg.batch_size, shuffle=True, collate_fn=collate)
    valid_dl = DataLoader(valid, cfg.batch_size, collate_fn=collate)
    model = SentimentGRU(cfg, len(WORDS) + 1, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(cfg.epochs):
        model.train()
        for x, lengths, labels in train_dl:
            optimizer.zero_grad()
            loss = criterion(model(x, lengths), labels)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        model.eval()
        with torch.no_grad():
            hits = sum((model(x, n).argmax(1) == y).sum().item() for x, n, y in valid_dl)
        print(f"epoch {epoch + 1}/{cfg.epochs} loss {loss.item():.3f} valid {hits / len(valid):.3f}")


main(Config())
