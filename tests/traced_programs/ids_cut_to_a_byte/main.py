"""LG201: a table is made compact, and numbers of products beyond 127 become negative."""
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, random_split

import preprocess
from config import Config
from dataset import CachedProducts
from model import build_model


@torch.no_grad()
def top5(model, loader):
    hits = count = 0
    for x, y in loader:
        best = model(x).topk(5, dim=1).indices
        hits += (best == y.unsqueeze(1)).any(1).sum().item()
        count += len(y)
    return hits / count


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = Config()
    preprocess.run(cfg)
    dataset = CachedProducts(cfg.workdir)
    train, val = random_split(dataset, [0.8, 0.2])
    train_loader = DataLoader(train, cfg.batch_size, shuffle=True)
    val_loader = DataLoader(val, cfg.batch_size)
    model = build_model(dataset.n_features, dataset.n_classes, cfg.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        for x, y in train_loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.3f} top5 {top5(model, val_loader):.3f}")


if __name__ == "__main__":
    main()
