"""LG210: the length of a vocabulary leaves out its special words."""
import argparse
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from vocab import Vocab

GOOD = ["lovely", "great", "superb", "friendly", "tasty", "charming"]
BAD = ["awful", "bland", "rude", "slow", "dirty", "noisy"]
THINGS = ["soup", "service", "terrace", "room", "waiter", "pasta", "coffee", "bar", "garden"]
RARE = ["ambience", "ceviche", "sommelier"]


def make_reviews(n, seed):
    rng = random.Random(seed)
    reviews = []
    for i in range(n):
        label = rng.randint(0, 1)
        words = GOOD if label else BAD
        parts = [f"the {rng.choice(THINGS)} was {rng.choice(words)}" for _ in range(rng.randint(1, 3))]
        if i >= n - len(RARE):
            parts.append(f"{rng.choice(words)} {RARE[n - 1 - i]}")
        reviews.append((" and ".join(parts), label))
    return reviews


class ReviewDataset(Dataset):
    def __init__(self, reviews, vocab):
        self.items = [(torch.tensor(vocab.encode(text)), label) for text, label in reviews]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class BagClassifier(nn.Module):
    def __init__(self, vocab_size, dim, pad_id):
        super().__init__()
        self.pad_id = pad_id
        self.emb = nn.Embedding(vocab_size, dim, padding_idx=pad_id)
        self.fc = nn.Linear(dim, 2)

    def forward(self, ids):
        mask = (ids != self.pad_id).float().unsqueeze(-1)
        pooled = (self.emb(ids) * mask).sum(1) / mask.sum(1).clamp(min=1)
        return self.fc(pooled)


def train(args):
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    reviews = make_reviews(args.n, args.seed)
    vocab = Vocab([text for text, _ in reviews])

    def collate(batch):
        ids = pad_sequence([b[0] for b in batch], batch_first=True, padding_value=vocab.pad_id)
        return ids, torch.tensor([b[1] for b in batch])

    loader = DataLoader(ReviewDataset(reviews, vocab), batch_size=16, shuffle=True, collate_fn=collate)
    model = BagClassifier(len(vocab), args.dim, vocab.pad_id)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        total = 0.0
        for ids, labels in loader:
            loss = criterion(model(ids), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.4f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=200)
    p.add_argument("--dim", type=int, default=16)
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--seed", type=int, default=5)
    train(p.parse_args())
