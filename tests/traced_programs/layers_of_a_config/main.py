"""LG303: the settings of a discriminator end in a sigmoid."""
import torch

from config import GanConfig
from data import make_loader
from trainer import GanTrainer


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = GanConfig()
    loader, trainer = make_loader(cfg), GanTrainer(cfg)
    for epoch in range(cfg.epochs):
        for (real,) in loader:
            d_loss, g_loss = trainer.step(real)
        print(f"epoch {epoch} d {d_loss:.4f} g {g_loss:.4f}")


if __name__ == "__main__":
    main()
