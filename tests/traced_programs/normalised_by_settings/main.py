"""LG205: the settings standardise what is a target as well."""
import torch
from torch.utils.data import DataLoader

from config import VAEConfig
from data import DigitImages
from losses import ElboLoss
from transforms import build_pipeline
from vae import VAE


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = VAEConfig()
    dataset = DigitImages(cfg.n_images, build_pipeline(cfg.transforms))
    loader = DataLoader(dataset, cfg.batch_size, shuffle=True)
    model = VAE(cfg)
    elbo = ElboLoss(cfg.beta)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        sums = torch.zeros(3)
        for x in loader:
            recon_logits, mu, log_var = model(x)
            loss, recon, kl = elbo(recon_logits, x, mu, log_var)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sums += torch.stack([loss.detach(), recon, kl])
        total, recon, kl = (sums / len(loader)).tolist()
        print(f"epoch {epoch} loss {total:.3f} recon {recon:.3f} kl {kl:.3f}")


if __name__ == "__main__":
    main()
