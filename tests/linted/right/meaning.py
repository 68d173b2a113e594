"""The neighbours of wrong meanings."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Classifier(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.head = nn.Linear(20, classes)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        logits = self.head(x)
        if self.training:
            return logits
        return self.softmax(logits)


class Switch(nn.Module):
    def __init__(self, final=None):
        super().__init__()
        self.head = nn.Linear(20, 5)
        self.final = nn.Softmax(dim=1) if final else nn.Identity()

    def forward(self, x):
        return self.final(self.head(x))


def logits_of_the_model():
    return F.cross_entropy(Classifier()(torch.randn(4, 20)), torch.tensor([0, 1, 2, 3]))  # right


def softmax_by_choice():
    return F.cross_entropy(Switch()(torch.randn(4, 20)), torch.tensor([0, 1, 2, 3]))  # right


def softmax_for_the_accuracy():
    logits = torch.randn(4, 5)
    predicted = logits.softmax(1).argmax(1)
    return F.cross_entropy(logits, torch.tensor([0, 1, 2, 3])), predicted  # right


def log_softmax_before_cross_entropy():
    return F.cross_entropy(torch.randn(4, 5).log_softmax(1), torch.tensor([0, 1, 2, 3]))  # right


def sigmoid_with_bce():
    return F.binary_cross_entropy(torch.sigmoid(torch.randn(8, 1)), torch.ones(8, 1))  # right


def logits_with_logits():
    return F.binary_cross_entropy_with_logits(torch.randn(8, 1), torch.sigmoid(torch.randn(8, 1)))  # right


def log_softmax_with_nll():
    model = nn.Sequential(nn.Linear(6, 3), nn.LogSoftmax(dim=1))
    return F.nll_loss(model(torch.randn(4, 6)), torch.tensor([0, 1, 2, 0]))  # right


def logarithm_of_softmax_with_nll():
    return F.nll_loss(torch.log(torch.randn(4, 3).softmax(1)), torch.tensor([0, 1, 2, 0]))  # right


def log_softmax_on_the_last_axis():
    return F.nll_loss(torch.randn(8, 5).log_softmax(-1), torch.zeros(8, dtype=torch.long))  # right


def divergence():
    student, teacher = torch.randn(4, 3), torch.randn(4, 3)
    return F.kl_div(F.log_softmax(student, 1), F.softmax(teacher, 1), reduction="batchmean")  # right


def scaled_similarities():
    similarity = torch.sigmoid(torch.randn(4, 4)) * 20
    return F.cross_entropy(similarity, torch.arange(4))  # right


def two_outputs_for_cross_entropy():
    return F.cross_entropy(nn.Linear(4, 2)(torch.randn(8, 4)), torch.ones(8, dtype=torch.long))  # right


def choose(outputs, target, kind):
    if kind == "logits":
        return F.binary_cross_entropy_with_logits(outputs, target)  # right
    return F.binary_cross_entropy(outputs, target)  # right


def chosen_by_name():
    return choose(torch.sigmoid(torch.randn(4)), torch.ones(4), "probabilities")
