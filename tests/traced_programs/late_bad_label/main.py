"""LG201: one label is overwritten, and met late."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
rng = np.random.default_rng(0)
def make_labels(n):
    y = rng.integers(0, 5, n)
    y[n - 7] = 9  # guilty
    return y
X = torch.from_numpy(rng.normal(size=(400, 6)).astype("float32"))
Y = torch.from_numpy(make_labels(400))
net = nn.Linear(6, 5)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(0, 400, 20):
    xb, yb = X[i:i+20], Y[i:i+20]
    loss = F.cross_entropy(net(xb), yb)
    opt.zero_grad(); loss.backward(); opt.step()
