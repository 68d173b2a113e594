"""LG206: one of two sequences ends in a tanh, in the attribute of a module."""

import math

import torch
import torch.nn as nn

torch.manual_seed(111)

# ring of 8 gaussians
n_modes, n_per_mode, radius = 8, 64, 0.7
angles = torch.arange(n_modes) * 2 * math.pi / n_modes
centers = radius * torch.stack([angles.cos(), angles.sin()], dim=1)
real_data = (centers.repeat_interleave(n_per_mode, 0) + 0.04 * torch.randn(n_modes * n_per_mode, 2)).clamp(-1, 1)
train_set = [(p, 0) for p in real_data]
loader = torch.utils.data.DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)


class Generator(nn.Module):
    def __init__(self, z_dim=4):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(z_dim, 32),
            nn.ReLU(),
            nn.Linear(32, 32),
            nn.ReLU(),
            nn.Linear(32, 2),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.model(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(2, 64),
            nn.LeakyReLU(0.2),
            nn.Dropout(0.3),
            nn.Linear(64, 32),
            nn.LeakyReLU(0.2),
            nn.Linear(32, 1),
            nn.Tanh(),  # guilty
        )

    def forward(self, x):
        return self.model(x)


def d_step(disc, gen, real, opt):
    n = real.size(0)
    fake = gen(torch.randn(n, 4)).detach()
    samples = torch.cat((real, fake))
    labels = torch.cat((torch.ones(n, 1), torch.zeros(n, 1)))
    opt.zero_grad()
    loss = loss_function(disc(samples), labels)
    loss.backward()
    opt.step()
    return loss.item()


def g_step(disc, gen, n, opt):
    opt.zero_grad()
    out = disc(gen(torch.randn(n, 4)))
    loss = loss_function(out, torch.ones(n, 1))
    loss.backward()
    opt.step()
    return loss.item()


generator, discriminator = Generator(), Discriminator()
loss_function = nn.BCELoss()
optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)

for epoch in range(3):
    for real_samples, _ in loader:
        loss_d = d_step(discriminator, generator, real_samples, optimizer_d)
        loss_g = g_step(discriminator, generator, 32, optimizer_g)
    print(f"Epoch: {epoch} Loss D.: {loss_d:.4f} Loss G.: {loss_g:.4f}")
