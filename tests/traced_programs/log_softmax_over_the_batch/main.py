"""LG301: a table of lambdas has a layer that goes along the batch."""
import torch
import torch.nn.functional as F

from config import GestureConfig
from data import make_loader
from model import GestureNet


class Trainer:
    def __init__(self, cfg, model, loader):
        self.cfg, self.model, self.loader = cfg, model, loader
        self.optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)

    def training_step(self, batch):
        signals, labels = batch
        return F.nll_loss(self.model(signals), labels)

    def fit(self):
        for epoch in range(self.cfg.epochs):
            total = 0.0
            for batch in self.loader:
                loss = self.training_step(batch)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} nll {total / len(self.loader):.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = GestureConfig()
    Trainer(config, GestureNet(config), make_loader(config)).fit()
