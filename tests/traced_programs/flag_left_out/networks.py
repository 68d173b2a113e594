import torch.nn as nn
import torch.nn.functional as F


class DigitNet(nn.Module):
    def __init__(self, hidden, n_classes=10, log_probs=False):
        super().__init__()
        self.fc1 = nn.Linear(64, hidden)
        self.fc2 = nn.Linear(hidden, n_classes)
        self.drop = nn.Dropout(0.1)
        self.log_probs = log_probs

    def forward(self, x):
        x = self.drop(F.relu(self.fc1(x)))
        x = self.fc2(x)
        if self.log_probs:
            x = F.log_softmax(x, dim=1)
        return x
