"""LG303: layers are collected in a list, and the last of them is chosen by a setting."""
import torch
from torch import nn

ENDS = {"yes or no": nn.Sigmoid, "none": nn.Identity}


def built(wide, end):
    layers = []
    for size in (8, 4):
        layers += [nn.Linear(wide, size), nn.ReLU()]
        wide = size
    layers.append(nn.Linear(wide, 1))
    layers.append(ENDS[end]())
    return nn.Sequential(*layers)


def main():
    torch.manual_seed(0)
    model = built(3, "yes or no")  # guilty
    out = model(torch.randn(32, 3))
    nn.functional.binary_cross_entropy_with_logits(out, (torch.arange(32) % 2).float().unsqueeze(1))


main()
