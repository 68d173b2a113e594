import torch

from layers import build_mlp
from objective import AdversarialLoss


class GanTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.gen = build_mlp(cfg.latent, cfg.generator)
        self.disc = build_mlp(cfg.data_dim, cfg.discriminator)
        self.loss = AdversarialLoss()
        self.opt_g = torch.optim.Adam(self.gen.parameters(), cfg.lr, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.disc.parameters(), cfg.lr, betas=(0.5, 0.999))

    def sample(self, n):
        return self.gen(torch.randn(n, self.cfg.latent))

    def step(self, real):
        fake = self.sample(len(real))
        d_loss = self.loss.discriminator(self.disc(real), self.disc(fake.detach()))
        self.opt_d.zero_grad()
        d_loss.backward()
        self.opt_d.step()
        g_loss = self.loss.generator(self.disc(fake))
        self.opt_g.zero_grad()
        g_loss.backward()
        self.opt_g.step()
        return d_loss.item(), g_loss.item()
