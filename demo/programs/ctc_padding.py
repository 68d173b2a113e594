"""Speech labels padded with -1 and lengths that count the padding: torch alone corrupts the heap and dies."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(16, 6)
frames = torch.randn(20, 2, 16)
labels = torch.tensor([[1, 2, 3, 4], [5, 1, -1, -1]])
label_lengths = torch.tensor([4, 4])

log_probs = model(frames).log_softmax(2)
loss = nn.CTCLoss()(log_probs, labels, torch.tensor([20, 20]), label_lengths)
loss.backward()
print(loss.item())
