import torch.nn.functional as F
from torch import nn


class ElboLoss(nn.Module):
    def __init__(self, beta):
        super().__init__()
        self.beta = beta

    def forward(self, recon_logits, x, mu, log_var):
        n = len(x)
        recon = F.binary_cross_entropy_with_logits(recon_logits, x, reduction="sum") / n
        kl = -0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum() / n
        return recon + self.beta * kl, recon.detach(), kl.detach()
