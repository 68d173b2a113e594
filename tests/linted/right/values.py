"""The neighbours of wrong values."""

import torch
import torch.nn.functional as F
from torch import nn


def enough_classes():
    return F.cross_entropy(nn.Linear(8, 4)(torch.randn(4, 8)), torch.tensor([0, 1, 2, 3]))  # right


def labels_count_from_zero():
    labels = torch.randint(1, 11, (64,)) - 1
    return F.cross_entropy(torch.randn(64, 10), labels)  # right


def unknown_classes(classes):
    return F.cross_entropy(torch.randn(64, classes), torch.randint(0, 12, (64,)))  # right


def declared_mark():
    return F.cross_entropy(torch.randn(4, 3), torch.tensor([0, 2, -1, 1]), ignore_index=-1)  # right


def declared_mark_of_a_module():
    criterion = nn.CrossEntropyLoss(ignore_index=255)
    mask = torch.randint(0, 21, (2, 8, 8))
    mask[0, 0, 0] = 255
    return criterion(torch.randn(2, 21, 8, 8), mask)  # right


def mark_of_somebody(mark):
    criterion = nn.CrossEntropyLoss(ignore_index=mark)
    return criterion(torch.randn(4, 3), torch.tensor([0, 2, -1, 1]))  # right


def the_usual_mark():
    return F.cross_entropy(torch.randn(4, 3), torch.tensor([0, 2, -100, 1]))  # right


def finite_target():
    return F.mse_loss(torch.randn(3), torch.tensor([0.5, 0.0, 1.0]))  # right


def unit_targets():
    return F.binary_cross_entropy_with_logits(torch.randn(4), torch.tensor([0.0, 1.0, 0.5, 0.0]))  # right


def scaled_image_mask():
    return F.binary_cross_entropy(torch.rand(3), torch.tensor([0.0, 255.0, 255.0]) / 255)  # right


def signs_made_zero_and_one():
    labels = (torch.tensor([-1.0, 1.0, 1.0, -1.0]) + 1) / 2
    return F.binary_cross_entropy_with_logits(torch.randn(4), labels)  # right


def sigmoid_for_bce():
    model = nn.Linear(4, 1)
    return F.binary_cross_entropy(torch.sigmoid(model(torch.randn(8, 4))), torch.ones(8, 1))  # right


def clamped_for_bce():
    model = nn.Linear(4, 1)
    return F.binary_cross_entropy(model(torch.randn(8, 4)).clamp(0, 1), torch.ones(8, 1))  # right


def words_of_the_table():
    return nn.Embedding(10, 4)(torch.tensor([3, 9, 2]))  # right


def table_of_unknown_length(size):
    return nn.Embedding(size, 4)(torch.tensor([3, 10, 2]))  # right


def labels_of_one_hot():
    return F.one_hot(torch.tensor([0, 1, 4]), num_classes=5)  # right


def signs():
    return F.soft_margin_loss(torch.randn(4), torch.tensor([-1.0, 1.0, 1.0, -1.0]))  # right


def truth_values_made_signs():
    better = (torch.randn(8) > 0).float() * 2 - 1
    return F.margin_ranking_loss(torch.randn(8), torch.randn(8), better)  # right
