"""Lists that grow, sizes that are multiples of others, vocabularies and padding: nothing is provably wrong."""

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn


# lists that grow under unknown conditions
def build(depth, width, last_activation):
    layers = []
    for i in range(depth):
        layers.append(nn.Linear(width, width))
        if i < depth - 1:
            layers.append(nn.ReLU())
    if last_activation:
        layers.append(nn.Softmax(dim=1))
    return nn.Sequential(*layers)


def train(x, y):
    return F.cross_entropy(build(3, 4, False)(x), y)  # right


def train2(x, y):
    m = build(3, 4, True)
    return F.nll_loss(torch.log(m(x)), y)  # right


class Multi(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList()
        for _ in range(3):
            self.heads.append(nn.Linear(4, 2))

    def forward(self, x):
        outs = []
        for h in self.heads:
            outs.append(h(x))
        return torch.stack(outs, 1).mean(1)


def mt(x):
    y = torch.randint(0, 2, (8,))
    return F.cross_entropy(Multi()(x), y)  # right


# logits times a mask, minus logsumexp
def manual(x, y):
    z = nn.Linear(4, 3)(x) / 2
    lp = z - z.logsumexp(1, keepdim=True)
    return F.nll_loss(lp, y)  # right


# targets repeated
def contrastive(n=8):
    labels = torch.arange(n).repeat(2)
    z = torch.randn(2 * n, n)
    return F.cross_entropy(z, labels)  # right


def contrast2(features):
    n = features.shape[0]
    labels = torch.cat([torch.arange(n) for _ in range(2)], dim=0)
    labels = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
    return F.binary_cross_entropy_with_logits(torch.randn(2 * n, 2 * n), labels)  # right


def ranked(scores, k):
    rel = torch.cat([torch.ones(1), torch.zeros(k - 1)])
    return F.cross_entropy(scores, rel)  # right


def seg(path):
    m = torch.from_numpy(np.array(Image.open(path).convert("L"))).long()
    return F.cross_entropy(torch.randn(1, 21, *m.shape), m[None], ignore_index=255)  # right


def pooled(x):
    x = F.max_pool2d(x, 3, 2, 1, 1, True)
    return F.cross_entropy(nn.Linear(9, 3)(x.flatten(1)), torch.randint(0, 3, (4,)))  # right


def vocab(texts):
    v = {"<pad>": 0, "<unk>": 1, "a": 2, "b": 3}
    ids = [[v[c] for c in t] + [v["<pad>"]] * (10 - len(t)) for t in texts]
    e = nn.Embedding(len(v), 8, padding_idx=0)
    h = e(torch.tensor(ids))
    lm = nn.Linear(8, len(v))(h)
    return F.cross_entropy(lm.transpose(1, 2), torch.tensor(ids), ignore_index=0)  # right


def prompt(ids, n, vocab_size=50):
    labels = [-100] * n + ids
    lg = torch.randn(len(labels), vocab_size)
    return F.cross_entropy(lg, torch.tensor(labels))  # right


def bins(n=64):
    y = (torch.rand(n) * 5).long()
    return F.cross_entropy(torch.randn(n, 5), y)  # right


def boot(x, y):
    i = torch.randint(0, 10, (32,)).repeat_interleave(2)
    w = torch.ones(3).repeat(4, 1)
    return F.cross_entropy(torch.randn(4, 3), w / w.sum(1, keepdim=True)) + F.one_hot(i, 10).sum()  # right


def dicts(cfg):
    s = {"n": 3}
    s.setdefault("m", 4)
    s.update(cfg)
    return F.cross_entropy(nn.Linear(4, s["n"])(torch.randn(2, 4)), torch.tensor([0, 9]))  # right
