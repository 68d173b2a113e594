"""LG303: forward of a module in a lightning style ends in a softmax."""

import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, random_split, TensorDataset


class LitModule(nn.Module):
    def training_step(self, batch, batch_idx):
        raise NotImplementedError

    def log(self, name, value):
        pass


class LitClassifier(LitModule):
    def __init__(self, hidden=16, n_classes=3):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(4, hidden), nn.ReLU())
        self.classifier = nn.Linear(hidden, n_classes)

    def forward(self, x):
        h = self.backbone(x)
        logits = self.classifier(h)
        return F.softmax(logits, dim=-1)  # guilty

    def shared_step(self, batch, stage):
        x, y = batch
        out = self(x)
        loss = F.cross_entropy(out, y)
        self.log(f"{stage}_loss", loss)
        return loss

    def training_step(self, batch, batch_idx):
        return self.shared_step(batch, "train")


class DataModule:
    def setup(self):
        torch.manual_seed(1)
        full = TensorDataset(torch.randn(60, 4), torch.randint(0, 3, (60,)))
        self.train, self.val = random_split(full, [48, 12])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=16, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))


class Trainer:
    def fit(self, model, dm):
        dm.setup()
        for i, batch in enumerate(dm.train_dataloader()):
            model.training_step(batch, i).backward()


Trainer().fit(LitClassifier(), DataModule())
