import torch
from torch import nn

from tasks import TASKS


class MultiHead(nn.Module):
    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2, width), nn.ReLU())
        self.heads = nn.ModuleDict({t.name: nn.Linear(width, t.classes) for t in TASKS.values()})

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        hidden = self.trunk(x)
        return {name: head(hidden) for name, head in self.heads.items()}
