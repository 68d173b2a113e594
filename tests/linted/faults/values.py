"""Labels that are out of range, marked, fractional, or not what the loss counts with."""

import torch
import torch.nn.functional as F
from torch import nn


def one_class_short():
    head = nn.Linear(8, 3)
    return F.cross_entropy(head(torch.randn(4, 8)), torch.tensor([0, 1, 2, 3]))  # LG201


def labels_count_from_one():
    labels = torch.randint(0, 10, (64,)) + 1
    return F.cross_entropy(torch.randn(64, 10), labels)  # LG201


def drawn_above_the_classes():
    labels = torch.randint(low=0, high=12, size=(32,))
    return nn.NLLLoss()(torch.randn(32, 10).log_softmax(-1), labels)  # LG201


def minus_one_marks():
    labels = torch.tensor([0, 2, -1, 1])
    return F.cross_entropy(torch.randn(4, 3), labels)  # LG202


def void_pixels():
    mask = torch.tensor([[[0, 255], [7, 255]]])
    return F.cross_entropy(torch.randn(1, 21, 2, 2), mask)  # LG202


def missing_target():
    target = torch.tensor([0.5, float("nan"), 1.0])
    return F.mse_loss(torch.randn(3), target)  # LG203


def infinite_target():
    return F.l1_loss(torch.randn(2), torch.tensor([float("inf"), 1.0]))  # LG203


def scaled_mask():
    labels = torch.tensor([0.0, 0.5, 1.0])
    return F.nll_loss(torch.randn(3, 2).log_softmax(1), labels)  # LG204


def signs_for_bce():
    labels = torch.tensor([-1.0, 1.0, 1.0, -1.0])
    return F.binary_cross_entropy_with_logits(torch.randn(4), labels)  # LG205


def image_mask_for_bce():
    target = torch.tensor([0.0, 255.0, 255.0])
    return F.binary_cross_entropy(torch.rand(3), target)  # LG205


def class_numbers_for_bce():
    labels = torch.randint(0, 5, (16,)).float()
    return nn.BCEWithLogitsLoss()(torch.randn(16), labels)  # LG205


def logits_for_bce():
    model = nn.Linear(4, 1)
    return F.binary_cross_entropy(model(torch.randn(8, 4)), torch.ones(8, 1))  # LG206


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        self.criterion = nn.BCELoss()

    def loss(self, x, y):
        return self.criterion(self.body(x), y)  # LG206


def scorer_is_trained():
    return Scorer().loss(torch.randn(2, 4), torch.ones(2, 1))


def negative_word():
    table = nn.Embedding(10, 4)
    return table(torch.tensor([3, -1, 2]))  # LG210


def word_beyond_the_table():
    weight = torch.randn(10, 4)
    return F.embedding(torch.tensor([3, 10]), weight)  # LG210


def label_beyond_one_hot():
    return F.one_hot(torch.tensor([0, 1, 5]), num_classes=5)  # LG210


def index_beyond_the_axis():
    return torch.index_select(torch.randn(3, 4), 0, torch.tensor([0, 3]))  # LG210


def zeros_and_ones_for_signs():
    labels = torch.tensor([0.0, 1.0, 1.0, 0.0])
    return F.soft_margin_loss(torch.randn(4), labels)  # LG212


def truth_values_for_ranking():
    better = (torch.randn(8) > 0).float()
    return F.margin_ranking_loss(torch.randn(8), torch.randn(8), better)  # LG212
