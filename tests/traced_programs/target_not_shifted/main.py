"""LG403: the target keeps one letter more than the input, and both are flattened."""

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = (
    "the quick brown fox jumps over the lazy dog and then the dog sleeps. "
    "a slow green turtle walks under the busy bridge while the river sings. "
) * 20


class CharData:
    def __init__(self, text, block):
        self.chars = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.chars)}
        ids = np.array([self.stoi[c] for c in text], dtype=np.int64)
        self.windows = np.lib.stride_tricks.sliding_window_view(ids, block + 1)[::3]

    def batches(self, size, rng):
        order = rng.permutation(len(self.windows))
        for k in range(0, len(order) - size + 1, size):
            chunk = torch.tensor(self.windows[order[k:k + size]])
            yield chunk[:, :-1], chunk[:, :]  # guilty


class CharLSTM(nn.Module):
    def __init__(self, n_chars, hidden):
        super().__init__()
        self.emb = nn.Embedding(n_chars, 16)
        self.lstm = nn.LSTM(16, hidden, batch_first=True)
        self.out = nn.Linear(hidden, n_chars)

    def forward(self, x, state=None):
        h, state = self.lstm(self.emb(x), state)
        return self.out(h), state


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--block", type=int, default=24)
    ap.add_argument("--hidden", type=int, default=48)
    ap.add_argument("--epochs", type=int, default=3)
    args = ap.parse_args()

    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    data = CharData(TEXT, args.block)
    model = CharLSTM(len(data.chars), args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        for x, y in data.batches(32, rng):
            logits, _ = model(x)
            loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), y.reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
