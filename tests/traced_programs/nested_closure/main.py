"""LG101: a closure casts all tensors."""
import torch
import torch.nn.functional as F
from torch import nn
def make_loader(x, y, size, device="cpu"):
    def move(t):
        return t.to(device, torch.float32)  # guilty
    def it():
        for i in range(0, len(x), size):
            yield move(x[i:i+size]), move(y[i:i+size])
    return it
batches = make_loader(torch.randn(20, 3), torch.arange(20) % 4, 5)
net = nn.Linear(3, 4)
for xb, yb in batches():
    loss = F.cross_entropy(net(xb), yb)
