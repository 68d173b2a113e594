"""LG303: of two sequences the second ends in a softmax."""
import torch
from torch import nn
encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
head = nn.Sequential(
    nn.Linear(16, 3),
    nn.Softmax(dim=1),  # guilty
)
x, y = torch.randn(6, 8), torch.randint(0, 3, (6,))
opt = torch.optim.Adam([*encoder.parameters(), *head.parameters()])
for step in range(3):
    z = encoder(x)
    out = head(z)
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad(); loss.backward(); opt.step()
