"""LG208: an answer is cut off before the prompt before it is masked."""

import random
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class TuneConfig:
    max_len: int = 28
    dim: int = 32
    accumulate: int = 4
    lr: float = 3e-3
    specials: list = field(default_factory=lambda: ["<pad>", "<bot>", "<end>"])


class CharTokenizer:
    def __init__(self, texts, specials):
        chars = sorted(set("".join(texts)))
        self.vocab = {s: i for i, s in enumerate(specials + chars)}

    def __call__(self, text):
        return [self.vocab[c] for c in text]

    def __len__(self):
        return len(self.vocab)


def make_dialogues(n, seed=0):
    rng = random.Random(seed)
    names = ["ann", "bo", "cy"]
    pairs = []
    for _ in range(n):
        a, b = rng.randint(1, 9), rng.randint(1, 9)
        pairs.append((f"{a} plus {b}?", str(a + b)))
    pairs[n // 2] = (f"please tell me {names[0]}, what is 4 plus 4?", "8")
    return pairs


class Preprocessor:
    def __init__(self, tokenizer, max_len):
        self.tok, self.max_len = tokenizer, max_len

    def __call__(self, prompt, answer):
        head = self.tok(prompt) + [self.tok.vocab["<bot>"]]
        tail = self.tok(answer) + [self.tok.vocab["<end>"]]
        ids = torch.tensor((head + tail)[: self.max_len])  # guilty
        labels = ids.clone()
        labels[: len(head)] = -100
        return ids, labels


class TinyLM(nn.Module):
    def __init__(self, vocab, dim, max_len):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_len, dim)
        self.block = nn.TransformerEncoderLayer(dim, 4, 2 * dim, dropout=0.0, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        t = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        h = self.tok(ids) + self.pos(torch.arange(t))
        return self.out(self.block(h, src_mask=mask))


class Tuner:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)

    def loss(self, ids, labels):
        logits = self.model(ids[None])[0]
        return F.cross_entropy(logits[:-1], labels[1:])

    def epoch(self, examples):
        seen = []
        for k, (ids, labels) in enumerate(examples, 1):
            loss = self.loss(ids, labels)
            (loss / self.cfg.accumulate).backward()
            seen.append(loss.item())
            if k % self.cfg.accumulate == 0:
                self.opt.step()
                self.opt.zero_grad()
        return sum(seen) / len(seen)


def main():
    torch.manual_seed(0)
    cfg = TuneConfig()
    pairs = make_dialogues(80)
    tok = CharTokenizer([p + a for p, a in pairs], cfg.specials)
    prep = Preprocessor(tok, cfg.max_len)
    examples = [prep(p, a) for p, a in pairs]
    tuner = Tuner(TinyLM(len(tok), cfg.dim, cfg.max_len), cfg)
    for epoch in range(2):
        print(f"epoch {epoch} loss {tuner.epoch(examples):.4f}")


if __name__ == "__main__":
    main()
