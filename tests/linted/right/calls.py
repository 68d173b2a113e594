"""The neighbours of wrong calls."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def object_of_the_class():
    logits, target = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
    return nn.CrossEntropyLoss()(logits, target)  # right


def weights_and_average(weight, average):
    return nn.CrossEntropyLoss(weight, average)  # right


def tensor_of_labels():
    return F.cross_entropy(torch.randn(3, 5), torch.tensor([0, 1, 4]))  # right


def tensor_of_an_array():
    return F.nll_loss(torch.randn(3, 5).log_softmax(1), torch.as_tensor(np.array([0, 1, 4])))  # right


def output_of_the_state():
    rnn = nn.GRU(4, 3, batch_first=True)
    output, _ = rnn(torch.randn(2, 5, 4))
    return F.cross_entropy(output.transpose(1, 2), torch.zeros(2, 5, dtype=torch.long))  # right


class Base(nn.Module):
    def forward(self, x):
        raise NotImplementedError

    def loss(self, x, y):
        return F.cross_entropy(self(x), y)  # right


def smoothing():
    return F.cross_entropy(torch.randn(2, 5), torch.tensor([0, 1]), label_smoothing=0.1)  # right


def known_reduction():
    return nn.MSELoss(reduction="sum")(torch.randn(4), torch.randn(4))  # right


def reduction_of_somebody(reduction):
    return nn.MSELoss(reduction=reduction)(torch.randn(4), torch.randn(4))  # right


def margin():
    a, b, c = torch.randn(2, 4), torch.randn(2, 4), torch.randn(2, 4)
    return F.triplet_margin_loss(a, b, c, margin=0.5)  # right


def one_device(device):
    logits = torch.randn(4, 3).to(device)
    labels = torch.tensor([0, 1, 2, 0]).to(device)
    return F.cross_entropy(logits, labels)  # right


def refused_on_purpose():
    try:
        return F.cross_entropy(torch.randn(3, 5), [0, 1, 4])  # right
    except TypeError:
        return None
