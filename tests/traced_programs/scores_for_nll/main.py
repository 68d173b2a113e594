"""LG301: the model gives scores where log-probabilities are wanted."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 5)

    def forward(self, features):
        hidden = features * 40.0
        return self.layer(hidden)  # guilty


model = Net()
data = TensorDataset(torch.randn(40, 3), torch.arange(40) % 5)
for features, labels in DataLoader(data, batch_size=8):
    output = model(features)
    loss = F.nll_loss(output, labels)
