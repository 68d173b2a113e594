"""LG207: the root of what a layer gives, then mixed with noise and decoded."""

import torch
import torch.nn.functional as F
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.mean, self.variance = nn.Linear(10, 8), nn.Linear(8, 2), nn.Linear(8, 2)
        self.decoder = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 10), nn.Sigmoid())

    def forward(self, x):
        h = F.relu(self.encoder(x))
        mean, variance = self.mean(h), self.variance(h)
        spread = torch.sqrt(variance)  # guilty
        z = mean + spread * torch.randn_like(spread)
        return self.decoder(z), mean, variance


torch.manual_seed(0)
model = Autoencoder()
x = torch.rand(16, 10)
restored, mean, variance = model(x)
F.mse_loss(restored, x)
