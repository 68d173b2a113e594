"""LG205: labels are drawn around 1."""

# little GAN that should learn points on a ring
import math

import torch
import torch.nn as nn

torch.manual_seed(999)

latent_dim = 4
batch_size = 64
n_steps = 60
lr = 1e-3


def real_points(n):
    angle = torch.rand(n) * 2 * math.pi
    radius = 1 + 0.05 * torch.randn(n)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(latent_dim, 32),
            nn.ReLU(True),
            nn.Linear(32, 32),
            nn.ReLU(True),
            nn.Linear(32, 2),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(2, 32),
            nn.LeakyReLU(0.2),
            nn.Linear(32, 32),
            nn.LeakyReLU(0.2),
            nn.Linear(32, 1),
            nn.Sigmoid(),
        )

    def forward(self, p):
        return self.main(p).view(-1)


netG, netD = Generator(), Discriminator()
criterion = nn.BCELoss()
optD = torch.optim.Adam(netD.parameters(), lr=lr, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=lr, betas=(0.5, 0.999))

G_losses, D_losses = [], []
for step in range(n_steps):
    # ---- discriminator: real batch, then fake batch
    netD.zero_grad()
    real = real_points(batch_size)
    real_label = 1.0 + 0.2 * (torch.rand(batch_size) - 0.5)  # guilty
    errD_real = criterion(netD(real), real_label)
    errD_real.backward()

    noise = torch.randn(batch_size, latent_dim)
    fake = netG(noise)
    fake_label = 0.1 * torch.rand(batch_size)
    errD_fake = criterion(netD(fake.detach()), fake_label)
    errD_fake.backward()
    optD.step()

    # ---- generator wants to be taken for real
    netG.zero_grad()
    errG = criterion(netD(fake), torch.ones(batch_size))
    errG.backward()
    optG.step()

    D_losses.append((errD_real + errD_fake).item())
    G_losses.append(errG.item())
    if step % 20 == 0:
        print(f"[{step}/{n_steps}] loss_D {D_losses[-1]:.4f} loss_G {G_losses[-1]:.4f}")

with torch.no_grad():
    pts = netG(torch.randn(500, latent_dim))
    print("mean radius of the fakes:", pts.norm(dim=1).mean().item())
