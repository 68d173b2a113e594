import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(cfg.n_pixels, cfg.hidden), nn.ReLU())
        self.mu = nn.Linear(cfg.hidden, cfg.latent)
        self.log_var = nn.Linear(cfg.hidden, cfg.latent)
        self.decoder = nn.Sequential(
            nn.Linear(cfg.latent, cfg.hidden),
            nn.ReLU(),
            nn.Linear(cfg.hidden, cfg.n_pixels),
        )

    def forward(self, x):
        h = self.encoder(x)
        mu, log_var = self.mu(h), self.log_var(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * log_var)
        return self.decoder(z), mu, log_var
