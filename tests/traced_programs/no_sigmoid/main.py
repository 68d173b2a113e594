"""LG206: the last layer's scores go to a loss of probabilities."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.act, self.score = nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1)

    def forward(self, x):
        x = self.act(self.hidden(x))
        score = self.score(x)  # guilty
        return score.squeeze(1)


torch.manual_seed(10)
data = TensorDataset(4 * torch.randn(64, 3), torch.arange(64) % 2)
model, criterion = Classifier(), nn.BCELoss()
for inputs, targets in DataLoader(data, batch_size=32):
    yhat = model(inputs)
    criterion(yhat, targets.float()).backward()
