"""LG212: zeros and ones of a file are taken over for a loss of signs."""

import json
import os
import random
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

TOPICS = {
    "money": "how can i save invest earn money quickly bank stock".split(),
    "health": "what food diet helps lose weight sleep better daily".split(),
    "code": "which language should learn first python java program".split(),
}


def dump_pairs(path, n=400, seed=0):
    rng = random.Random(seed)
    with open(path, "w") as f:
        for _ in range(n):
            dup = rng.random() < 0.5
            a = rng.choice(list(TOPICS))
            b = a if dup else rng.choice([t for t in TOPICS if t != a])
            rec = {"q1": " ".join(rng.sample(TOPICS[a], 6)), "q2": " ".join(rng.sample(TOPICS[b], 6)),
                   "is_duplicate": int(dup)}
            f.write(json.dumps(rec) + "\n")


class QuestionPairs(Dataset):
    def __init__(self, path, vocab=None):
        with open(path) as f:
            records = [json.loads(line) for line in f]
        self.vocab = vocab or {w: i for i, w in enumerate(sorted({w for ws in TOPICS.values() for w in ws}))}
        self.q1 = [self.to_ids(r["q1"]) for r in records]
        self.q2 = [self.to_ids(r["q2"]) for r in records]
        self.same = [float(r["is_duplicate"]) for r in records]  # guilty

    def to_ids(self, text):
        return torch.tensor([self.vocab[w] for w in text.split()])

    def __len__(self):
        return len(self.same)

    def __getitem__(self, i):
        return self.q1[i], self.q2[i], self.same[i]


class SiameseBag(nn.Module):
    def __init__(self, n_words, dim=24):
        super().__init__()
        self.bag = nn.EmbeddingBag(n_words, dim, mode="mean")
        self.proj = nn.Sequential(nn.Linear(dim, dim), nn.Tanh())

    def encode(self, q):
        return self.proj(self.bag(q))

    def forward(self, q1, q2):
        return self.encode(q1), self.encode(q2)


class Trainer:
    def __init__(self, model, margin=0.2, lr=5e-3):
        self.model = model
        self.criterion = nn.CosineEmbeddingLoss(margin=margin)
        self.optim = torch.optim.Adam(model.parameters(), lr=lr)

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            total = 0.0
            for q1, q2, same in loader:
                e1, e2 = self.model(q1, q2)
                loss = self.criterion(e1, e2, same)
                self.optim.zero_grad()
                loss.backward()
                self.optim.step()
                total += loss.item()
            print(f"epoch {epoch + 1}/{epochs} loss {total / len(loader):.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    file = os.path.join(tempfile.mkdtemp(), "pairs.jsonl")
    dump_pairs(file)
    ds = QuestionPairs(file)
    Trainer(SiameseBag(len(ds.vocab))).fit(DataLoader(ds, batch_size=32, shuffle=True), epochs=4)
