"""vmap and grad of torch.func around a loss."""

import torch
import torch.nn.functional as F
from torch.func import grad, vmap

torch.manual_seed(0)
weight = torch.randn(4, 3)


def loss(weight, x, y):
    return F.cross_entropy((x @ weight).unsqueeze(0), y.unsqueeze(0))


gradients = vmap(grad(loss), in_dims=(None, 0, 0))(weight, torch.randn(5, 4), torch.randint(3, (5,)))
print(gradients.sum().item(), gradients.shape)
