"""LG205: an augmentation makes some pictures too bright."""
import random
from dataclasses import dataclass

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

from augment import AddPixelNoise, Compose, RandomBrightness, RandomFlip


@dataclass
class Config:
    batch_size: int = 8
    epochs: int = 1
    latent: int = 12
    lr: float = 2e-3
    noise: float = 0.15
    seed: int = 7
    n_images: int = 240


class DenoisingDigits(Dataset):
    """Gives (noisy image, clean image); the geometry and light are changed for both."""

    def __init__(self, images, augment, corrupt):
        self.images = images
        self.augment = augment
        self.corrupt = corrupt

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        clean = self.augment(self.images[i])
        return self.corrupt(clean), clean


class AutoEncoder(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, 64), nn.Sigmoid())

    def forward(self, x):
        return self.decoder(self.encoder(x)).view(-1, 1, 8, 8)


def run(cfg):
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    images = torch.tensor(load_digits().images[:cfg.n_images], dtype=torch.float32).unsqueeze(1) / 16.0
    augment = Compose([RandomFlip(), RandomBrightness(0.7, 1.3, p=0.15)])
    loader = DataLoader(DenoisingDigits(images, augment, AddPixelNoise(cfg.noise)), batch_size=cfg.batch_size, shuffle=True)
    model = AutoEncoder(cfg.latent)
    criterion = nn.BCELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        for step, (noisy, clean) in enumerate(loader):
            loss = criterion(model(noisy), clean)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 5 == 0:
                print(f"epoch {epoch} step {step} bce {loss.item():.4f}")


if __name__ == "__main__":
    run(Config())
