"""LG201: the embedding has a row for padding more than the head has classes."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


@dataclass
class RecConfig:
    sessions: int = 300
    emb: int = 24
    hidden: int = 40
    batch: int = 32
    epochs: int = 3
    lr: float = 5e-3


class ItemIndex:
    """Row 0 stays free for padding."""

    def __init__(self, names):
        self.lookup = {n: i for i, n in enumerate(sorted(names), start=1)}

    def __len__(self):
        return len(self.lookup)

    def __call__(self, session):
        return torch.tensor([self.lookup[n] for n in session])


def browse(cfg, n_skus=50, seed=0):
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(cfg.sessions):
        at = int(rng.integers(n_skus))
        walk = []
        for _ in range(int(rng.integers(3, 9))):
            walk.append(f"sku{at:03d}")
            at = (at + int(rng.choice([1, 1, 2, -1]))) % n_skus
        out.append(walk)
    return out


class Sessions(Dataset):
    def __init__(self, sessions, index):
        self.encoded = [index(s) for s in sessions]

    def __len__(self):
        return len(self.encoded)

    def __getitem__(self, i):
        s = self.encoded[i]
        return s[:-1], s[-1]

    @staticmethod
    def collate(batch):
        hist, nxt = zip(*batch)
        lengths = torch.tensor([len(h) for h in hist])
        return pad_sequence(hist, batch_first=True), lengths, torch.stack(nxt)


class SessionGRU(nn.Module):
    def __init__(self, n_items, cfg):
        super().__init__()
        self.items = nn.Embedding(n_items + 1, cfg.emb, padding_idx=0)
        self.gru = nn.GRU(cfg.emb, cfg.hidden, batch_first=True)
        self.score = nn.Linear(cfg.hidden, n_items)  # guilty

    def forward(self, hist, lengths):
        h, _ = self.gru(self.items(hist))
        last = h[torch.arange(len(hist)), lengths - 1]
        return self.score(last)


def fit(cfg):
    sessions = browse(cfg)
    index = ItemIndex({n for s in sessions for n in s})
    loader = DataLoader(Sessions(sessions, index), cfg.batch, shuffle=True, collate_fn=Sessions.collate)
    model = SessionGRU(len(index), cfg)
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        for step, (hist, lengths, nxt) in enumerate(loader):
            loss = criterion(model(hist, lengths), nxt)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 3 == 0:
                print(f"{epoch}.{step} loss {loss.item():.3f}")


if __name__ == "__main__":
    torch.manual_seed(2)
    fit(RecConfig())
