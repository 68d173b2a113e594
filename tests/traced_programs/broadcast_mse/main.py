"""LG406: the target loses its axis in a helper."""
import torch
from torch import nn
def make(n=20):
    x = torch.linspace(0, 1, n).unsqueeze(1)
    y = 3 * x.squeeze() + 1  # guilty
    return x, y
x, y = make()
net = nn.Linear(1, 1)
pred = net(x)
loss = nn.MSELoss()(pred, y)
print(float(loss))
