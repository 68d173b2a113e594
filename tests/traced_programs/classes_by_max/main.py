"""LG201: the number of classes is the largest label, one too few."""

import torch
from torch import nn

from flowers import FlowerDataset, make_loaders


class LinearProbe(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.bn = nn.BatchNorm1d(in_features)
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        return self.fc(self.bn(x))


def evaluate(model, loader):
    model.eval()
    with torch.inference_mode():
        hits = [(model(x).argmax(-1) == y).float() for x, y in loader]
    model.train()
    return torch.cat(hits).mean().item()


def main():
    torch.manual_seed(42)
    dataset = FlowerDataset(n=200)
    train_loader, val_loader = make_loaders(dataset, val_fraction=0.2, batch_size=40)
    model = LinearProbe(dataset.feature_dim, dataset.num_classes)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.3, max_iter=3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(2):
        for x, y in train_loader:

            def closure():
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                return loss

            loss = optimizer.step(closure)
        print(f"epoch {epoch}: loss {loss.item():.3f}, val acc {evaluate(model, val_loader):.2f}")


main()
