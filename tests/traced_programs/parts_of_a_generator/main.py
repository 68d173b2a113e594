"""LG203: batches come from a generator, and late in it a helper takes the root of a negative difference."""

import torch
import torch.nn.functional as F
from torch import nn


class Growth:
    def __init__(self, heights):
        self.heights = heights

    def between(self, first, last):
        return (self.heights[last] - self.heights[first]).sqrt()  # guilty


def trees(many):
    generator = torch.Generator().manual_seed(2)
    for number in range(many):
        heights = torch.rand(8, 5, generator=generator).cumsum(0)
        if number == 9:
            heights[6:] -= 5
        yield heights


def batches(many):
    for heights in trees(many):
        growth = Growth(heights)
        steps = [growth.between(day, day + 1).mean() for day in range(7)]
        yield heights[:-1], torch.stack(steps)


net = nn.Linear(5, 1)
for x, y in batches(12):
    F.l1_loss(net(x).squeeze(1), y)
