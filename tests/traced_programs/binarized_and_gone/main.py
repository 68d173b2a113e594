"""LG402: a binarizer of an object that is gone makes rows of zeros and ones of the labels."""
import numpy as np
import torch
from sklearn.preprocessing import LabelBinarizer
from torch import nn


class Reader:
    def __init__(self):
        self.binarizer = LabelBinarizer()

    def labels(self, words):
        return torch.from_numpy(self.binarizer.fit_transform(words))  # guilty


def prepare(n=30):
    rng = np.random.default_rng(0)
    return torch.randn(n, 4), Reader().labels(rng.choice(["up", "down", "left", "right"], n))


def main():
    torch.manual_seed(0)
    x, y = prepare()
    net = nn.Linear(4, 4)
    for start in range(0, 30, 10):
        nn.functional.cross_entropy(net(x[start:start + 10]), y[start:start + 10]).backward()


main()
