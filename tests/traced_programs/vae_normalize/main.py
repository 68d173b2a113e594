"""LG205: normalised images are the target of a binary loss."""
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

from transforms import Compose, Normalize, ToFloat


class Digits(Dataset):
    def __init__(self, n=128, transform=None):
        gen = torch.Generator().manual_seed(0)
        proto = torch.randint(0, 256, (4, 8, 8), generator=gen, dtype=torch.uint8)
        self.images = proto[torch.randint(0, 4, (n,), generator=gen)]
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        img = self.images[i]
        return self.transform(img) if self.transform else img


class VAE(nn.Module):
    def __init__(self, dim=64, hidden=48, latent=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(dim, hidden), nn.ReLU())
        self.mu, self.logvar = nn.Linear(hidden, latent), nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, dim), nn.Sigmoid())

    def reparameterize(self, mu, logvar):
        return mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        return self.dec(self.reparameterize(mu, logvar)).view_as(x), mu, logvar


def elbo(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + kld) / x.size(0)


torch.manual_seed(0)
transform = Compose([ToFloat(), Normalize(0.5, 0.5)])  # guilty
loader = DataLoader(Digits(transform=transform), batch_size=32, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    for x in loader:
        recon, mu, logvar = model(x)
        loss = elbo(recon, x, mu, logvar)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} elbo {loss.item():.3f}")
