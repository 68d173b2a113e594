"""LG304: soft labels are averaged with the scores of the model, in another method."""
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, n=30):
        self.x = torch.randn(n, 3)
        self.y = self.x.argmax(1)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], i


class Trainer:
    def __init__(self, momentum=0.9):
        dataset = Noisy()
        self.momentum = momentum
        self.loader = DataLoader(dataset, batch_size=10, num_workers=int(os.environ.get("WORKERS", "0")))
        self.soft_labels = F.one_hot(dataset.y, 3).float()
        self.model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))

    def refine(self, index, logits):
        m = self.momentum
        self.soft_labels[index] = m * self.soft_labels[index] + (1 - m) * logits.detach()  # guilty

    def train(self, epoch):
        for x, index in self.loader:
            logits = self.model(x)
            if epoch > 0:
                self.refine(index, logits)
            F.cross_entropy(logits, self.soft_labels[index]).backward()


torch.manual_seed(0)
trainer = Trainer()
for epoch in range(2):
    trainer.train(epoch)
