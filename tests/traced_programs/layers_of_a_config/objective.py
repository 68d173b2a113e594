import torch
from torch import nn


class AdversarialLoss(nn.Module):
    """Non-saturating GAN objective on the critic's scores."""

    def __init__(self, real=0.9, fake=0.0):
        super().__init__()
        self.real, self.fake = real, fake
        self.bce = nn.BCEWithLogitsLoss()

    def _score(self, scores, value):
        return self.bce(scores, torch.full_like(scores, value))

    def discriminator(self, real_scores, fake_scores):
        return 0.5 * (self._score(real_scores, self.real) + self._score(fake_scores, self.fake))

    def generator(self, fake_scores):
        return self._score(fake_scores, 1.0)
