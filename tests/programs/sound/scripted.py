"""torch.jit.script of functions and modules, and torch.jit.trace."""

import torch
import torch.nn.functional as F
from torch import nn


def loss_function(x, y):
    return F.nll_loss(F.log_softmax(x, 1), y) + F.cross_entropy(x, y)


torch.manual_seed(0)
x, y = torch.randn(6, 3), torch.randint(3, (6,))
scripted = torch.jit.script(loss_function)
print(scripted(x, y).item(), torch.jit.script(nn.BCELoss())(x.sigmoid(), x.sigmoid()).item())
traced = torch.jit.trace(loss_function, (x, y))
print(traced(x, y).item(), len(list(traced.graph.nodes())))
