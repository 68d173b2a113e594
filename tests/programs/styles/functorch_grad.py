"""Functorch grad."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, vmap, grad

torch.manual_seed(0)
net = nn.Linear(4, 3)
p = dict(net.named_parameters())


def L(p, x, y):
    return F.cross_entropy(functional_call(net, p, (x[None],)), y[None])


g = vmap(grad(L), in_dims=(None, 0, 0))(p, torch.randn(8, 4), torch.randint(3, (8,)))
print(g["weight"].norm().item())
