"""LG206: a builder makes two models, and one of them without its last activation."""
# GAN on a ring of gaussians
import math

import torch
import torch.nn as nn

torch.manual_seed(3)
torch.set_num_threads(1)

Z_DIM = 8
BATCH = 64
STEPS = 150
MODES = 8


def mlp(sizes, out_act=None, slope=0.2):
    layers = []
    for i in range(len(sizes) - 2):
        layers += [nn.Linear(sizes[i], sizes[i + 1]), nn.LeakyReLU(slope)]
    layers.append(nn.Linear(sizes[-2], sizes[-1]))
    if out_act is not None:
        layers.append(out_act)
    return nn.Sequential(*layers)


def sample_real(n):
    k = torch.randint(0, MODES, (n,))
    angle = 2 * math.pi * k / MODES
    centers = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
    return centers * 0.8 + 0.03 * torch.randn(n, 2)


G = mlp([Z_DIM, 32, 32, 2], out_act=nn.Tanh())
D = mlp([2, 32, 32, 1])  # guilty

bce = nn.BCELoss()
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))

ones = torch.ones(BATCH, 1)
zeros = torch.zeros(BATCH, 1)
fixed_noise = torch.randn(16, Z_DIM)

for step in range(1, STEPS + 1):
    # --- discriminator ---
    real = sample_real(BATCH)
    fake = G(torch.randn(BATCH, Z_DIM))
    d_real = D(real)
    d_fake = D(fake.detach())
    loss_d = bce(d_real, ones) + bce(d_fake, zeros)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    # --- generator ---
    d_fake = D(fake)
    loss_g = bce(d_fake, ones)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()

    if step % 50 == 0:
        print(f"step {step}: D {loss_d.item():.3f}  G {loss_g.item():.3f}")

with torch.no_grad():
    print(G(fixed_noise)[:4])
