"""A loss that falls and falls: the model gives logits, and NLLLoss takes them for log-probabilities."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x.sum(dim=1) > 0).long() + (x[:, 0] > 1).long()

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = nn.NLLLoss()

for epoch in range(50):
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print(f"epoch {epoch:2d}  loss {loss.item():10.2f}")
