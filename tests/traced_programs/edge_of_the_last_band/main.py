"""LG201: a price at the last edge is counted beyond it; the number of bands is an argument of the program."""

import argparse
import sys
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from features import Banding, synthesize

DEFAULTS = SimpleNamespace(n=600, bands=6, epochs=4, batch=50, lr=0.004, seed=31)


class BandNet(nn.Module):
    def __init__(self, n_in: int, n_bands: int):
        super().__init__()
        self.inp = nn.Linear(n_in, 32)
        self.res = nn.Linear(32, 32)
        self.head = nn.Linear(32, n_bands)

    def forward(self, x):
        h = F.silu(self.inp(x))
        h = h + F.silu(self.res(h))
        return self.head(h)


def make_loader(part, banding, batch, shuffle):
    y = torch.from_numpy(banding.transform(part.price))
    return DataLoader(TensorDataset(torch.from_numpy(part.x), y), batch_size=batch, shuffle=shuffle)


def fit(model, loader, opt):
    model.train()
    running = []
    for x, y in loader:
        loss = F.cross_entropy(model(x), y, label_smoothing=0.05)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        running.append(loss.item())
    return float(np.mean(running))


@torch.inference_mode()
def off_by(model, loader):
    model.eval()
    gaps = [(model(x).argmax(-1) - y).abs().float() for x, y in loader]
    return torch.cat(gaps).mean().item()


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__)
    for key, value in vars(DEFAULTS).items():
        ap.add_argument(f"--{key}", type=type(value), default=value)
    opt = ap.parse_args(argv)

    torch.manual_seed(opt.seed)
    rng = np.random.default_rng(opt.seed)
    table = synthesize(opt.n, rng)
    order = rng.permutation(opt.n)
    cut = int(0.8 * opt.n)
    train, test = table.take(order[:cut]), table.take(order[cut:])

    banding = Banding(opt.bands).fit(train.price)
    print("bands:", banding.describe(), file=sys.stderr)
    train_dl = make_loader(train, banding, opt.batch, True)
    test_dl = make_loader(test, banding, opt.batch, False)

    model = BandNet(train.x.shape[1], opt.bands)
    adam = torch.optim.Adam(model.parameters(), lr=opt.lr)
    for epoch in range(opt.epochs):
        print(f"{epoch}: loss={fit(model, train_dl, adam):.4f} off_by={off_by(model, test_dl):.3f}")


if __name__ == "__main__":
    main()
