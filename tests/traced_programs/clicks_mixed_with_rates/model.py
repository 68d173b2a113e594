import torch
from torch import nn

from events import N_ADS, N_HOURS, N_SLOTS


class ClickModel(nn.Module):
    """Examination times attraction."""

    def __init__(self, dim: int = 8):
        super().__init__()
        self.ads = nn.Embedding(N_ADS, dim)
        self.hours = nn.Embedding(N_HOURS, dim)
        self.slots = nn.Embedding(N_SLOTS, 1)
        self.mix = nn.Sequential(nn.Linear(2 * dim, dim), nn.Tanh(), nn.Linear(dim, 1))

    def forward(self, ad, slot, hour):
        attraction = torch.sigmoid(self.mix(torch.cat([self.ads(ad), self.hours(hour)], dim=-1)))
        examination = torch.sigmoid(self.slots(slot) + 1.0)
        return (attraction * examination).squeeze(-1)
