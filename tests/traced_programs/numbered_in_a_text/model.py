import torch
from torch import nn


class IntentClassifier(nn.Module):
    def __init__(self, vocab_size, num_classes, cfg):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, cfg.emb_dim, padding_idx=0)
        self.body = nn.Sequential(
            nn.Linear(cfg.emb_dim, cfg.hidden), nn.ReLU(), nn.Dropout(0.1)
        )
        self.head = nn.Linear(cfg.hidden, num_classes)

    def forward(self, tokens):
        mask = (tokens != 0).unsqueeze(-1).float()
        pooled = (self.emb(tokens) * mask).sum(1) / mask.sum(1).clamp(min=1)
        return self.head(self.body(pooled))
