"""Calls that are none, and arguments that are no tensors."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def class_as_a_function():
    logits, target = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
    return nn.CrossEntropyLoss(logits, target)  # LG504


def class_as_a_function_for_regression():
    model = nn.Linear(2, 1)
    loss = nn.MSELoss(model(torch.randn(4, 2)), torch.randn(4, 1))  # LG504
    loss.backward()


def list_of_labels():
    return F.cross_entropy(torch.randn(3, 5), [0, 1, 4])  # LG502


def array_of_labels():
    return F.nll_loss(torch.randn(3, 5).log_softmax(1), np.array([0, 1, 4]))  # LG502


def number_as_target():
    return F.mse_loss(torch.randn(3), 1.0)  # LG502


def output_and_state():
    rnn = nn.GRU(4, 3, batch_first=True)
    output = rnn(torch.randn(2, 5, 4))
    return F.cross_entropy(output, torch.zeros(2, 5, dtype=torch.long))  # LG503


class Forgetful(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        y = self.head(x)
        y = y * 2


def nothing_is_returned():
    return F.cross_entropy(Forgetful()(torch.randn(2, 4)), torch.tensor([0, 1]))  # LG503


def smoothing_in_percent():
    return F.cross_entropy(torch.randn(2, 5), torch.tensor([0, 1]), label_smoothing=10.0)  # LG505


def unknown_reduction():
    criterion = nn.MSELoss(reduction="average")
    return criterion(torch.randn(4), torch.randn(4))  # LG505


def ignored_class_of_soft_labels():
    soft = torch.randn(4, 5).softmax(1)
    return F.cross_entropy(torch.randn(4, 5), soft, ignore_index=0)  # LG505


def margin_of_nothing():
    a, b, c = torch.randn(2, 4), torch.randn(2, 4), torch.randn(2, 4)
    return F.triplet_margin_loss(a, b, c, margin=0.0)  # LG505


def two_devices():
    logits = torch.randn(4, 3).cuda()
    labels = torch.tensor([0, 1, 2, 0])
    return F.cross_entropy(logits, labels)  # LG501
