"""LBFGS calls the loss through a closure, many times for each step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(20, 3), torch.randint(2, (20, 1)).float()
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=10)


def closure():
    optimizer.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
    loss.backward()
    return loss


for _ in range(3):
    print(optimizer.step(closure).item())
