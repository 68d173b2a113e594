from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import nn


class BaseTrainer(ABC):
    def __init__(self, model, loader, lr=1e-2):
        self.model, self.loader = model, loader
        self.criterion = self.build_criterion()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    @abstractmethod
    def build_criterion(self):
        ...

    def fit(self, epochs):
        for epoch in range(epochs):
            for x, y in self.loader:
                loss = self.criterion(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(f"[{type(self).__name__}] epoch {epoch} loss {loss.item():.4f}")


class PlainTrainer(BaseTrainer):
    def build_criterion(self):
        return nn.CrossEntropyLoss()


class BalancedTrainer(BaseTrainer):
    def build_criterion(self):
        counts = np.bincount(self.loader.dataset.targets)
        weights = torch.from_numpy(counts.sum() / (len(counts) * counts))  # guilty
        return nn.CrossEntropyLoss(weight=weights)
