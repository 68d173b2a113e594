"""LG208: a cut to the longest length leaves nothing but what is ignored."""
import random
from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE = -100


@dataclass
class Config:
    max_len: int = 32
    dim: int = 32
    heads: int = 2
    batch_size: int = 1
    grad_accum: int = 8
    lr: float = 3e-3
    vocab: str = field(default=" abcdefghijklmnopqrstuvwxyz0123456789+=?:\n")


class CharTokenizer:
    def __init__(self, chars):
        self.idx = {c: i for i, c in enumerate(chars)}

    def __len__(self):
        return len(self.idx)

    def __call__(self, s):
        return [self.idx[c] for c in s]


def make_examples(n, seed=0):
    rng = random.Random(seed)
    out = []
    for i in range(n):
        if i % 50 == 37:
            k = rng.randint(12, 15)
        else:
            k = rng.randint(2, 5)
        word = "".join(rng.choice("abcdef") for _ in range(k))
        out.append((f"please repeat the word: {word}\n" if k > 9 else f"repeat: {word}\n", word))
    return out


def build_sample(tok, prompt, answer, max_len):
    p, a = tok(prompt), tok(answer)
    ids = p + a
    labels = [IGNORE] * len(p) + a
    ids, labels = ids[:max_len], labels[:max_len]  # guilty
    return torch.tensor(ids), torch.tensor(labels)


class TinyDecoder(nn.Module):
    def __init__(self, cfg, n_vocab):
        super().__init__()
        self.tok = nn.Embedding(n_vocab, cfg.dim)
        self.pos = nn.Embedding(cfg.max_len, cfg.dim)
        self.block = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 64, dropout=0.0, batch_first=True)
        self.lm_head = nn.Linear(cfg.dim, n_vocab)

    def forward(self, ids):
        t = ids.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        h = self.tok(ids) + self.pos(torch.arange(t))
        return self.lm_head(self.block(h, src_mask=mask, is_causal=True))


def lm_loss(logits, labels):
    return F.cross_entropy(logits[:, :-1].reshape(-1, logits.size(-1)), labels[:, 1:].reshape(-1), ignore_index=IGNORE)


def main():
    torch.manual_seed(0)
    cfg = Config()
    tok = CharTokenizer(cfg.vocab)
    samples = [build_sample(tok, p, a, cfg.max_len) for p, a in make_examples(120)]
    model = TinyDecoder(cfg, len(tok))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    running = 0.0
    for step, (ids, labels) in enumerate(samples, 1):
        loss = lm_loss(model(ids[None]), labels[None])
        (loss / cfg.grad_accum).backward()
        running += loss.item() / cfg.grad_accum
        if step % cfg.grad_accum == 0:
            opt.step()
            opt.zero_grad()
            print(f"step {step // cfg.grad_accum} loss {running:.4f}")
            running = 0.0


if __name__ == "__main__":
    main()
