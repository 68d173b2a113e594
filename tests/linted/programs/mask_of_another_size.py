"""LG405: the mask is larger than what the strided network puts out."""
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 5, 1))
images, masks = torch.rand(2, 3, 32, 32), torch.randint(0, 5, (2, 32, 32))
nn.CrossEntropyLoss()(net(images), masks)  # LG405
