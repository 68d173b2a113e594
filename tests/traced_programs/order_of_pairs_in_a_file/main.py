"""LG212: the order of pairs is written into a file as 0 and 1, for a loss of signs."""

import os
import tempfile
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class RankSettings:
    n_answers: int = 150
    n_features: int = 10
    n_pairs: int = 600
    margin: float = 0.3
    epochs: int = 5
    lr: float = 2e-3


def write_answers(path, s):
    rng = np.random.default_rng(17)
    feats = rng.normal(size=(s.n_answers, s.n_features)).astype(np.float32)
    votes = feats @ rng.normal(size=s.n_features) + 0.2 * rng.normal(size=s.n_answers)
    np.savez(path, feats=feats, votes=votes)


def mine_pairs(answers_path, pairs_path, n_pairs):
    votes = np.load(answers_path)["votes"]
    rng = np.random.default_rng(1)
    left = rng.integers(0, len(votes), n_pairs)
    right = rng.integers(0, len(votes), n_pairs)
    keep = left != right
    left, right = left[keep], right[keep]
    order = (votes[left] > votes[right]).astype(np.float32)  # guilty
    np.savez(pairs_path, left=left, right=right, order=order)


class PairDataset(Dataset):
    def __init__(self, answers_path, pairs_path):
        self.feats = torch.from_numpy(np.load(answers_path)["feats"])
        pairs = np.load(pairs_path)
        self.left, self.right = pairs["left"], pairs["right"]
        self.order = torch.from_numpy(pairs["order"])

    def __len__(self):
        return len(self.order)

    def __getitem__(self, i):
        return self.feats[self.left[i]], self.feats[self.right[i]], self.order[i]


class Scorer(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_features, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class RankExperiment:
    def __init__(self, settings, dataset):
        self.s = settings
        self.loader = DataLoader(dataset, batch_size=64, shuffle=True)
        self.scorer = Scorer(settings.n_features)
        self.criterion = nn.MarginRankingLoss(margin=settings.margin)
        self.opt = torch.optim.Adam(self.scorer.parameters(), lr=settings.lr)

    def run(self):
        print(asdict(self.s))
        for epoch in range(self.s.epochs):
            total = 0.0
            for a, b, order in self.loader:
                loss = self.criterion(self.scorer(a), self.scorer(b), order)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item()
            print(f"epoch {epoch} ranking loss {total / len(self.loader):.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    settings = RankSettings()
    with tempfile.TemporaryDirectory() as tmp:
        answers, pairs = os.path.join(tmp, "answers.npz"), os.path.join(tmp, "pairs.npz")
        write_answers(answers, settings)
        mine_pairs(answers, pairs, settings.n_pairs)
        RankExperiment(settings, PairDataset(answers, pairs)).run()
