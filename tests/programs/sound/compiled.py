"""torch.compile without a graph break, forward and backward."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
weight = torch.randn(8, 4, requires_grad=True)


@torch.compile(fullgraph=True, backend="aot_eager")
def step(x, y):
    return F.cross_entropy(x @ weight, y) + F.mse_loss(x @ weight, torch.zeros(16, 4))


for _ in range(3):
    loss = step(torch.randn(16, 8), torch.randint(4, (16,)))
    loss.backward()
    print(loss.item(), weight.grad.sum().item())
