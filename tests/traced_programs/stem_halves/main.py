"""LG405: the first convolution halves the image, and the decoder only undoes the pooling after it."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 4, 5, stride=2, padding=2), nn.ReLU())  # guilty
        self.down = nn.MaxPool2d(2)
        self.up = nn.Upsample(scale_factor=2)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        wide = self.stem(x)
        deep = self.down(wide)
        return self.out(torch.cat([self.up(deep), wide], dim=1))


torch.manual_seed(0)
net, image = Net(), torch.rand(3, 1, 16, 16)
nn.functional.mse_loss(net(image), image).backward()
