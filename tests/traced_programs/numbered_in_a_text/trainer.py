import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def step(self, batch):
        logits = self.model(batch["tokens"])
        return F.cross_entropy(logits, batch["labels"]), logits

    def train_epoch(self, loader):
        self.model.train()
        total = 0.0
        for batch in loader:
            loss, _ = self.step(batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        hits = count = 0
        for batch in loader:
            _, logits = self.step(batch)
            hits += (logits.argmax(1) == batch["labels"]).sum().item()
            count += len(logits)
        return hits / count
