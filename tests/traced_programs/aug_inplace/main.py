"""LG202: a crop pads the mask with 255."""
import torch
import torch.nn.functional as F
from torch import nn
class Crop:
    def __init__(self, size):
        self.size = size
    def __call__(self, img, mask):
        h, w = mask.shape
        if h < self.size:
            pad = self.size - h
            img = F.pad(img, (0, pad, 0, pad))
            mask = F.pad(mask, (0, pad, 0, pad), value=255)  # guilty
        return img[:, :self.size, :self.size], mask[:self.size, :self.size]
crop = Crop(10)
imgs = torch.randn(4, 3, 8, 8); masks = torch.randint(0, 3, (4, 8, 8))
pairs = [crop(i, m) for i, m in zip(imgs, masks)]
x = torch.stack([a for a, _ in pairs]); y = torch.stack([b for _, b in pairs])
net = nn.Conv2d(3, 3, 1)
loss = F.cross_entropy(net(x), y)
