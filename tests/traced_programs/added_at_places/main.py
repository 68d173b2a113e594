"""LG205: products are counted that should only be marked."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader

from baskets import NextBasket
from shop import PRODUCTS, receipts


class BasketModel(nn.Module):
    def __init__(self, n_products: int, dim: int):
        super().__init__()
        self.read = nn.Linear(n_products, dim)
        self.recall = nn.GRU(dim, dim, batch_first=True)
        self.write = nn.Linear(dim, n_products)

    def forward(self, past):
        _, state = self.recall(torch.relu(self.read(past)))
        return self.write(state[-1])


def hit_rate(model, loader, k=5):
    hits = total = 0
    with torch.no_grad():
        for past, bought in loader:
            top = model(past).topk(k, dim=1).indices
            hits += (bought.gather(1, top) > 0).sum().item()
            total += top.numel()
    return hits / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--customers", type=int, default=60)
    parser.add_argument("--weeks", type=int, default=10)
    parser.add_argument("--dim", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(90)
    book = receipts(args.customers, args.weeks, seed=90)
    cut = int(0.8 * args.customers)
    train = NextBasket({c: b for c, b in book.items() if c < cut})
    test = NextBasket({c: b for c, b in book.items() if c >= cut})
    model = BasketModel(len(PRODUCTS), args.dim)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(args.epochs):
        for past, bought in DataLoader(train, batch_size=32, shuffle=True):
            loss = criterion(model(past), bought)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f} hits {hit_rate(model, DataLoader(test, batch_size=64)):.3f}")


if __name__ == "__main__":
    main()
