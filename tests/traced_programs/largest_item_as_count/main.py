"""LG201: the largest number is taken for how many there are."""

import json
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class SessionLog:
    """Writes and reads click sessions as JSON lines."""

    def __init__(self, path):
        self.path = path

    def simulate(self, n_sessions=500, n_items=60, seed=0):
        rng = np.random.default_rng(seed)
        with open(self.path, "w") as f:
            for s in range(n_sessions):
                start = int(rng.integers(n_items))
                steps = rng.integers(-2, 4, int(rng.integers(3, 9)))
                clicks = (np.clip(start + np.cumsum(steps), 0, n_items - 1)).tolist()
                f.write(json.dumps({"session": s, "clicks": clicks}) + "\n")

    def read(self):
        with open(self.path) as f:
            return [json.loads(line)["clicks"] for line in f]


class Catalog:
    def __init__(self, sessions):
        self.n_items = max(max(s) for s in sessions)  # guilty
        self.pad = self.n_items + 1

    def left_pad(self, prefix, width):
        return [self.pad] * (width - len(prefix)) + prefix[-width:]


def build_examples(sessions, catalog, width):
    x, y = [], []
    for clicks in sessions:
        for cut in range(1, len(clicks)):
            x.append(catalog.left_pad(clicks[:cut], width))
            y.append(clicks[cut])
    return torch.tensor(x), torch.tensor(y)


class Gru4Rec(nn.Module):
    def __init__(self, catalog, dim=32):
        super().__init__()
        self.items = nn.Embedding(catalog.pad + 1, dim, padding_idx=catalog.pad)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.decoder = nn.Linear(dim, catalog.n_items)

    def forward(self, prefix):
        _, h = self.gru(self.items(prefix))
        return self.decoder(h[-1])


def recall_at(scores, target, k=5):
    return (scores.topk(k, dim=1).indices == target[:, None]).any(1).float().mean().item()


def main():
    torch.manual_seed(0)
    log = SessionLog(os.path.join(tempfile.mkdtemp(), "sessions.jsonl"))
    log.simulate()
    sessions = log.read()
    catalog = Catalog(sessions)
    x, y = build_examples(sessions, catalog, width=6)
    model = Gru4Rec(catalog)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        for pick in torch.randperm(len(x)).split(16):
            scores = model(x[pick])
            loss = F.cross_entropy(scores, y[pick])
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.3f} recall@5 {recall_at(scores, y[pick]):.3f}")


if __name__ == "__main__":
    main()
