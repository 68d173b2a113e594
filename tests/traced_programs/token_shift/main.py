"""LG202: the labels of a language model are rolled, and the last is marked with -1."""

import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    vocab: int = 11
    block: int = 6
    dim: int = 8
    batch: int = 4


class Text(Dataset):
    def __init__(self, ids, block):
        self.ids = ids
        self.block = block

    def __len__(self):
        return len(self.ids) // self.block

    def __getitem__(self, i):
        chunk = self.ids[i * self.block : (i + 1) * self.block]
        return {"input_ids": chunk}


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.wte = nn.Embedding(cfg.vocab, cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, idx, targets=None):
        logits = self.head(self.wte(idx))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss


def shift(ids):
    labels = ids.roll(-1, dims=1)
    labels[:, -1] = -1  # guilty
    return labels


cfg = Config()
data = torch.arange(96) % cfg.vocab
model = GPT(cfg)
for batch in DataLoader(Text(data, cfg.block), batch_size=cfg.batch, num_workers=int(os.environ.get("WORKERS", "0"))):
    ids = batch["input_ids"]
    targets = shift(ids)
    logits, loss = model(ids, targets)
    loss.backward()
