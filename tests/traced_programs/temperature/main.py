"""LG303: a helper returns probabilities."""
import torch
import torch.nn.functional as F
from torch import nn
def predict(net, x, t=2.0):
    logits = net(x) / t
    probs = logits.softmax(dim=-1)  # guilty
    return probs
net = nn.Linear(6, 4)
x, y = torch.randn(20, 6), torch.randint(0, 4, (20,))
for _ in range(2):
    p = predict(net, x)
    loss = F.cross_entropy(p, y)
