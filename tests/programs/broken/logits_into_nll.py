"""The last layer gives logits, and NLLLoss takes them for log-probabilities.

expect: LG301 exit=0
"""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 5))
criterion, optimizer = nn.NLLLoss(), torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    loss = criterion(model(torch.randn(16, 4)), torch.randint(5, (16,)))  # here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("done")
