"""LG102: tokens are written into raw files as int32, and mapped from them."""

import tempfile
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from shards import ShardReader, write_shards

CORPUS = ("the warehouse robot picks a box and puts the box on the belt. "
          "the belt moves the box to the dock where a truck waits for the box. ") * 60


@dataclass
class LMConfig:
    block: int = 24
    dim: int = 32
    heads: int = 2
    steps: int = 60
    batch_size: int = 16
    lr: float = 3e-3


class TinyTransformer(nn.Module):
    def __init__(self, n_tokens, cfg):
        super().__init__()
        self.tok = nn.Embedding(n_tokens, cfg.dim)
        self.pos = nn.Parameter(torch.zeros(cfg.block, cfg.dim))
        self.layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(cfg.dim, n_tokens)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(cfg.block))

    def forward(self, x):
        h = self.tok(x) + self.pos[:x.shape[1]]
        return self.out(self.layer(h, src_mask=self.mask))


def main(cfg=LMConfig()):
    torch.manual_seed(0)
    stoi = {c: i for i, c in enumerate(sorted(set(CORPUS)))}
    model = TinyTransformer(len(stoi), cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    with tempfile.TemporaryDirectory() as folder:
        write_shards(folder, CORPUS, stoi)
        reader = ShardReader(folder, cfg.block, cfg.batch_size)
        for step in range(cfg.steps):
            x, y = reader.next_batch()
            logits = model(x)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 20 == 0:
                print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
