"""The neighbours of wrong shapes."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Points(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.randn(6), int(index) % 3


def labels_from_a_dataset():
    model = nn.Linear(6, 3)
    total = 0
    for x, y in DataLoader(Points(), batch_size=8):
        total = total + F.cross_entropy(model(x), y)  # right
    return total


def squeezed_column():
    return F.cross_entropy(torch.randn(4, 5), torch.tensor([[1], [2], [0], [4]]).squeeze(1))  # right


def column_for_bce():
    model = nn.Linear(6, 1)
    return nn.BCEWithLogitsLoss()(model(torch.randn(8, 6)), torch.ones(8).unsqueeze(1))  # right


def squeezed_output():
    model = nn.Linear(6, 1)
    return nn.BCEWithLogitsLoss()(model(torch.randn(8, 6)).squeeze(-1), torch.ones(8))  # right


def mask_without_channel():
    masks = torch.zeros(2, 1, 8, 8).long()
    return F.cross_entropy(nn.Conv2d(3, 4, 1)(torch.randn(2, 3, 8, 8)), masks[:, 0])  # right


def one_hot_floats():
    labels = F.one_hot(torch.tensor([0, 2, 1]), num_classes=4).float()
    return F.cross_entropy(torch.randn(3, 4), labels)  # right


def index_of_the_one():
    labels = F.one_hot(torch.tensor([0, 2, 1]), num_classes=4)
    return F.cross_entropy(torch.randn(3, 4), labels.argmax(1))  # right


def both_flattened():
    logits = torch.randn(4, 6, 5).view(-1, 5)
    return F.cross_entropy(logits, torch.zeros(4, 6, dtype=torch.long).view(-1))  # right


def classes_on_axis_one():
    head = nn.Linear(16, 9)
    logits = head(torch.randn(2, 7, 16)).transpose(1, 2)
    return F.cross_entropy(logits, torch.zeros(2, 7, dtype=torch.long))  # right


def any_batch(x, y):
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 9))
    return F.cross_entropy(model(x), y)  # right


def columns_agree():
    model = nn.Linear(4, 1)
    return F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1))  # right


def columns_agree_in_batches():
    model = nn.Linear(4, 1)
    data = TensorDataset(torch.randn(32, 4), torch.randn(32))
    total = 0.0
    for x, y in DataLoader(data, batch_size=8, shuffle=True):
        total = total + F.mse_loss(model(x).squeeze(1), y)  # right
    return total


def broadcast_of_a_number():
    return F.mse_loss(torch.randn(8), torch.ones(()).expand(8))  # right


def unknown_width(width):
    model = nn.Linear(4, width)
    return F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1))  # right


def weights_for_all():
    criterion = nn.CrossEntropyLoss(weight=torch.ones(5))
    return criterion(nn.Linear(8, 5)(torch.randn(4, 8)), torch.tensor([0, 1, 2, 0]))  # right


def weights_of_unknown_number(weight):
    criterion = nn.CrossEntropyLoss(weight=weight)
    return criterion(nn.Linear(8, 5)(torch.randn(4, 8)), torch.tensor([0, 1, 2, 0]))  # right
