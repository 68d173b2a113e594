"""Shapes that do not go together, or go together by chance."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Points(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.randn(6), torch.tensor([int(index) % 3])


def column_of_labels():
    return F.cross_entropy(torch.randn(4, 5), torch.tensor([[1], [2], [0], [4]]))  # LG401


def column_from_a_dataset():
    model = nn.Linear(6, 3)
    total = 0
    for x, y in DataLoader(Points(), batch_size=8):
        total = total + F.cross_entropy(model(x), y)  # LG401
    return total


def missing_column():
    model = nn.Linear(6, 1)
    x, y = torch.randn(8, 6), torch.ones(8)
    return nn.BCEWithLogitsLoss()(model(x), y)  # LG401


def channel_in_the_mask():
    masks = torch.zeros(2, 1, 8, 8).long()
    return F.cross_entropy(nn.Conv2d(3, 4, 1)(torch.randn(2, 3, 8, 8)), masks)  # LG401


def one_hot_labels():
    labels = F.one_hot(torch.tensor([0, 2, 1]), num_classes=4)
    return F.cross_entropy(torch.randn(3, 4), labels)  # LG402


def one_hot_floats_for_nll():
    labels = F.one_hot(torch.tensor([0, 2, 1]), 4).float()
    return F.nll_loss(torch.randn(3, 4).log_softmax(1), labels)  # LG402


def fewer_labels_than_rows():
    return F.cross_entropy(torch.randn(8, 5), torch.zeros(4, dtype=torch.long))  # LG403


def flattened_batch():
    logits = torch.randn(4, 6, 5).view(-1, 5)
    return F.cross_entropy(logits, torch.zeros(4, dtype=torch.long))  # LG403


def classes_on_the_last_axis():
    head = nn.Linear(16, 9)
    hidden = torch.randn(2, 7, 16)
    return F.cross_entropy(head(hidden), torch.zeros(2, 7, dtype=torch.long))  # LG404


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8, batch_first=True)
        self.head = nn.Linear(8, 6)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.head(out)


def tags_of_a_sequence():
    return F.cross_entropy(Tagger()(torch.randn(2, 7, 4)), torch.zeros(2, 7, dtype=torch.long))  # LG404


def two_outputs_for_one_answer():
    model = nn.Linear(4, 2)
    return F.binary_cross_entropy_with_logits(model(torch.randn(8, 4)), torch.ones(8))  # LG405


def other_resolution():
    return F.cross_entropy(torch.randn(2, 3, 8, 8), torch.zeros(2, 16, 16).long())  # LG405


def column_against_row():
    model = nn.Linear(4, 1)
    return F.mse_loss(model(torch.randn(8, 4)), torch.randn(8))  # LG406


def column_against_row_in_batches():
    model = nn.Linear(4, 1)
    criterion = nn.MSELoss()
    data = TensorDataset(torch.randn(32, 4), torch.randn(32))
    total = 0.0
    for x, y in DataLoader(data, batch_size=8, shuffle=True):
        total = total + criterion(model(x), y)  # LG406
    return total


def row_against_column():
    return F.l1_loss(torch.randn(8), torch.randn(8).unsqueeze(1))  # LG406


def too_few_weights():
    weight = torch.tensor([1.0, 2.0])
    return F.cross_entropy(torch.randn(4, 3), torch.tensor([0, 1, 2, 0]), weight=weight)  # LG407


def too_few_weights_in_a_module():
    criterion = nn.CrossEntropyLoss(weight=torch.ones(4))
    head = nn.Linear(8, 5)
    return criterion(head(torch.randn(4, 8)), torch.tensor([0, 1, 2, 0]))  # LG407
