"""Label smoothing."""

import torch
from torch import nn

torch.manual_seed(0)
crit = nn.CrossEntropyLoss(label_smoothing=0.1)
net = nn.Linear(5, 10)
opt = torch.optim.Adam(net.parameters())
for _ in range(10):
    loss = crit(net(torch.randn(16, 5)), torch.randint(10, (16,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
