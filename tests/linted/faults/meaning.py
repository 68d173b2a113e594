"""Probabilities, log-probabilities and logits taken for each other."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Classifier(nn.Module):
    def __init__(self, features=20, classes=5):
        super().__init__()
        self.features = nn.Linear(features, 64)
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        x = torch.relu(self.features(x))
        return F.softmax(self.head(x), dim=1)


class Ending(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 8, 3),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(8, 5),
            nn.LogSoftmax(dim=1),
        )

    def forward(self, x):
        return self.net(x)


def softmax_in_the_model():
    model = Classifier()
    criterion = nn.CrossEntropyLoss()
    x, y = torch.randn(4, 20), torch.tensor([0, 1, 2, 3])
    return criterion(model(x), y)  # LG303


def softmax_before_the_loss():
    probabilities = torch.softmax(torch.randn(4, 5), dim=1)
    return F.cross_entropy(probabilities, torch.tensor([0, 1, 2, 3]))  # LG303


def softmax_as_a_method():
    logits = nn.Linear(6, 3)(torch.randn(4, 6))
    return F.cross_entropy(logits.softmax(-1), torch.tensor([0, 1, 2, 0]))  # LG303


def sigmoid_before_with_logits():
    outputs = torch.sigmoid(torch.randn(8, 1))
    return F.binary_cross_entropy_with_logits(outputs, torch.ones(8, 1))  # LG303


def sigmoid_layer_before_with_logits():
    model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
    loss = nn.BCEWithLogitsLoss()(model(torch.randn(8, 4)), torch.ones(8, 1))  # LG303
    return loss


def softmax_layer_before_cross_entropy():
    activation = nn.Softmax(dim=-1)
    outputs = activation(torch.randn(4, 5))
    return F.cross_entropy(outputs, torch.tensor([0, 1, 2, 3]), reduction="sum")  # LG303


def softmax_through_a_helper():
    def predict(x):
        return x.softmax(dim=1)

    return F.cross_entropy(predict(torch.randn(4, 5)), torch.tensor([0, 1, 2, 3]))  # LG303


def linear_into_nll():
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    return F.nll_loss(model(torch.randn(4, 6)), torch.tensor([0, 1, 2, 0]))  # LG301


def convolution_into_nll():
    logits = nn.Conv2d(3, 4, 1)(torch.randn(2, 3, 8, 8))
    return nn.NLLLoss()(logits, torch.zeros(2, 8, 8, dtype=torch.long))  # LG301


def linear_into_divergence():
    student = nn.Linear(6, 3)
    soft = torch.randn(4, 3).softmax(1)
    return F.kl_div(student(torch.randn(4, 6)), soft, reduction="batchmean")  # LG301


def log_softmax_along_the_batch():
    logs = torch.randn(8, 5).log_softmax(0)
    return F.nll_loss(logs, torch.zeros(8, dtype=torch.long))  # LG301


def softmax_into_nll():
    model = Classifier()
    outputs = model(torch.randn(4, 20))
    return F.nll_loss(outputs, torch.tensor([0, 1, 2, 3]))  # LG302


def softmax_into_divergence():
    student, teacher = torch.randn(4, 3), torch.randn(4, 3)
    return F.kl_div(F.softmax(student, 1), F.softmax(teacher, 1), reduction="batchmean")  # LG302


def one_output_for_cross_entropy():
    head = nn.Linear(4, 1)
    target = torch.ones(8, 1)
    return F.cross_entropy(head(torch.randn(8, 4)), target)  # LG305
