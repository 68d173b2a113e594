"""LG201: classes are numbered from 1 and written into a text."""
import torch

import prepare
from config import Config
from data import IntentDataset, build_loaders
from model import IntentClassifier
from trainer import Trainer


def main():
    cfg = Config()
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    prepare.run(cfg.data.root)
    dataset = IntentDataset(cfg.data)
    train_loader, val_loader = build_loaders(dataset, cfg.data, cfg.seed)
    model = IntentClassifier(len(dataset.vocab), dataset.num_classes, cfg.model)
    trainer = Trainer(model, torch.optim.Adam(model.parameters(), lr=cfg.lr))
    for epoch in range(cfg.epochs):
        loss = trainer.train_epoch(train_loader)
        acc = trainer.evaluate(val_loader)
        print(f"epoch {epoch} loss {loss:.4f} val acc {acc:.3f}")


if __name__ == "__main__":
    main()
