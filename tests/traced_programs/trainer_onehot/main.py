"""LG104: a method of the trainer makes whole one-hot targets."""
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


class Trainer:
    def __init__(self, model, loader, num_classes, lr=1e-2):
        self.model = model
        self.loader = loader
        self.num_classes = num_classes
        self.optimizer = torch.optim.Adagrad(model.parameters(), lr=lr)
        self.criterion = nn.BCEWithLogitsLoss()
        self.history = []

    def load_batch(self, batch):
        self.inputs, classes = batch
        self.targets = F.one_hot(classes, self.num_classes)  # guilty

    def step(self):
        self.optimizer.zero_grad()
        self.loss = self.criterion(self.model(self.inputs), self.targets)
        self.loss.backward()
        self.optimizer.step()
        return self.loss.item()

    def fit(self, epochs):
        for epoch in range(epochs):
            losses = []
            for batch in self.loader:
                self.load_batch(batch)
                losses.append(self.step())
            self.history.append(sum(losses) / len(losses))
            print(f"epoch {epoch}: {self.history[-1]:.4f}")


def main():
    torch.manual_seed(17)
    classes = torch.tensor([0] * 70 + [1] * 20 + [2] * 10)
    points = torch.randn(100, 4) + F.one_hot(classes, 4) * 2.0
    weights = 1.0 / torch.bincount(classes)[classes].float()
    loader = DataLoader(TensorDataset(points, classes), batch_size=20,
                        sampler=WeightedRandomSampler(weights, num_samples=100),
                        num_workers=int(os.environ.get("WORKERS", "0")))
    model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 3))
    Trainer(model, loader, num_classes=3).fit(epochs=3)


if __name__ == "__main__":
    main()
