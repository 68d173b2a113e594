import torch
import torch.nn as nn

MODELS, LOSSES = {}, {}


def register(table, name):
    def deco(fn):
        table[name] = fn
        return fn
    return deco


@register(MODELS, "tiny_unet")
class TinyUNet(nn.Module):
    def __init__(self, width, n_classes):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU())
        self.mid = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(width, width * 2, 3, padding=1), nn.ReLU(),
                                 nn.Upsample(scale_factor=2))
        self.out = nn.Conv2d(width * 3, n_classes, 1)

    def forward(self, x):
        a = self.down(x)
        return self.out(torch.cat([a, self.mid(a)], dim=1))


@register(LOSSES, "ce")
def plain_ce():
    return nn.CrossEntropyLoss()


@register(LOSSES, "weighted_ce")
def weighted_ce(weights):
    return nn.CrossEntropyLoss(weight=torch.tensor(weights))
