"""An autograd function of one's own around a loss, hooks, checkpointing and double backward."""

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            loss = F.cross_entropy(inner, y)
            (ctx.gradient,) = torch.autograd.grad(loss, inner)
        return loss.detach() * 2

    @staticmethod
    def backward(ctx, upstream):
        return upstream * ctx.gradient * 2, None


torch.manual_seed(0)
x, y = torch.randn(5, 4, requires_grad=True), torch.randint(4, (5,))
Scaled.apply(x, y).backward()
print(x.grad.sum().item(), x.grad.abs().sum().item())
checkpoint(F.cross_entropy, x, y, use_reentrant=False).backward()
(first,) = torch.autograd.grad(F.mse_loss(x, torch.zeros(5, 4)), x, create_graph=True)
first.pow(2).sum().backward()
print(x.grad.abs().sum().item())
