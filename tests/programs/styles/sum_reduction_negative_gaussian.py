"""Sum reduction negative gaussian."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
mu = nn.Parameter(torch.zeros(20))
y = torch.zeros(20)
print(
    F.gaussian_nll_loss(mu, y, torch.full((20,), 1e-3), reduction="sum").item(),
    F.poisson_nll_loss(torch.full((5,), 2.0), torch.full((5,), 9.0)).item(),
)
