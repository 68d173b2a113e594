"""LG201: the id of the end is one past the vocabulary."""

import argparse
import os

import torch
from torch.utils.data import DataLoader

from model import CharLM
from text import CharTokenizer, NameDataset, pad_batch

NAMES = "anna bert carla dieter emma fritz greta hans ida jonas klara ludwig marta nils".split()


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--batch-size", type=int, default=4)
    return p.parse_args([])


def main():
    args = parse_args()
    torch.manual_seed(0)
    tok = CharTokenizer(NAMES)
    loader = DataLoader(NameDataset(NAMES, tok), batch_size=args.batch_size, shuffle=True, collate_fn=pad_batch,
                        num_workers=int(os.environ.get("WORKERS", "0")))
    lm = CharLM(tok.vocab_size, args.hidden)
    opt = torch.optim.RMSprop(lm.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        total = 0.0
        for src, tgt in loader:
            loss = lm.loss(src, tgt)
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
            opt.step()
            total += loss.item()
        print(f"[{epoch}] {total / len(loader):.3f}")


main()
