import torch
from torch import nn


class SlotRegressor(nn.Module):
    def __init__(self, slots: int, width: int) -> None:
        super().__init__()
        self.slot = nn.Embedding(slots, width)
        self.mix = nn.Sequential(nn.Linear(width + 1, 2 * width), nn.SiLU(), nn.Linear(2 * width, 1))

    def forward(self, slot: torch.Tensor, rain: torch.Tensor) -> torch.Tensor:
        joined = torch.cat([self.slot(slot), rain.unsqueeze(1)], dim=1)
        return self.mix(joined).squeeze(1)
