"""LG404: the model puts its classes last."""
import torch
from torch import nn
class Seg(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.conv = nn.Conv2d(3, n, 1)
    def forward(self, x):
        y = self.conv(x)
        return y.permute(0, 2, 3, 1)  # guilty
net = Seg(5)
img, mask = torch.randn(2, 3, 8, 8), torch.randint(0, 5, (2, 8, 8))
loss = nn.CrossEntropyLoss()(net(img), mask)
