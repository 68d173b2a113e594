"""The neighbours of wrong dtypes: all of these are as torch wants them."""

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn


def labels_from_a_list():
    return F.cross_entropy(torch.randn(4, 3), torch.tensor([0, 2, 1, 1]))  # right


def long_tensor_of_labels():
    return F.cross_entropy(torch.randn(4, 3), torch.LongTensor([0, 2, 1, 1]))  # right


def cast_in_time():
    labels = torch.Tensor([0, 2, 1, 1])
    return F.cross_entropy(torch.randn(4, 3), labels.long())  # right


def cast_by_to():
    labels = torch.Tensor([0, 2, 1, 1])
    return F.cross_entropy(torch.randn(4, 3), labels.to(torch.int64))  # right


def soft_labels_are_floats():
    target = torch.rand(4, 3).softmax(1)
    return F.cross_entropy(torch.randn(4, 3), target)  # right


def floats_of_unknown_shape(batch):
    return F.cross_entropy(batch["logits"], batch["labels"].float())  # right


def labels_of_numpy():
    labels = np.array([0, 1, 2, 1])
    return F.nll_loss(torch.randn(4, 3).log_softmax(dim=1), torch.from_numpy(labels))  # right


def category_codes():
    frame = pd.DataFrame({"kind": ["a", "b", "a", "c"]})
    labels = torch.tensor(frame["kind"].astype("category").cat.codes.values, dtype=torch.long)
    return F.cross_entropy(torch.randn(4, 3), labels)  # right


def comparison_as_labels():
    return F.cross_entropy(torch.randn(8, 2), (torch.randn(8) > 0).long())  # right


def float_target_for_binary():
    return F.binary_cross_entropy_with_logits(torch.randn(8), torch.randint(0, 2, (8,)).float())  # right


def comparison_for_bce():
    values = torch.randn(8)
    return nn.BCEWithLogitsLoss()(values, (values > 0.5).to(values.dtype))  # right


def whole_target_for_mse():
    model = nn.Linear(3, 1)
    return F.mse_loss(model(torch.randn(4, 3)), torch.tensor([[1], [2], [3], [4]]))  # right


def target_in_the_dtype_of_the_input():
    model = nn.Linear(3, 1)
    target = torch.from_numpy(np.ones((4, 1))).float()
    return F.huber_loss(model(torch.randn(4, 3)), target)  # right


def all_in_double():
    model = nn.Linear(3, 1).double()
    return F.huber_loss(model(torch.randn(4, 3, dtype=torch.float64)), torch.ones(4, 1, dtype=torch.float64))  # right


def weights_in_float():
    return F.cross_entropy(torch.randn(4, 3), torch.tensor([0, 1, 2, 1]), weight=torch.ones(3))  # right


def words():
    return nn.Embedding(100, 16)(torch.tensor([1, 5, 7]))  # right


def narrow_words():
    return nn.Embedding(100, 16)(torch.tensor([1, 5, 7]).int())  # right


def index_for_gather():
    return torch.gather(torch.randn(4, 3), 1, torch.zeros(4, 1, dtype=torch.long))  # right


def labels_for_one_hot():
    return F.one_hot(torch.tensor([0, 1, 2]), num_classes=3)  # right


def bytes_of_one_axis():
    return F.cross_entropy(torch.randn(4, 3), torch.tensor([0, 1, 2, 1], dtype=torch.uint8))  # right


def mask_cast_in_time():
    mask = torch.zeros(2, 4, 4, dtype=torch.uint8)
    return F.cross_entropy(torch.randn(2, 3, 4, 4), mask.long())  # right


def cast_on_one_path(flag):
    labels = torch.Tensor([0, 2, 1, 1])
    if flag:
        labels = labels.long()
    return F.cross_entropy(torch.randn(4, 3), labels)  # right


def cast_by_a_helper():
    def as_labels(values):
        return values.long()

    return F.cross_entropy(torch.randn(4, 3), as_labels(torch.Tensor([0, 2, 1, 1])))  # right


def checked_before(labels):
    if labels.dtype != torch.long:
        labels = labels.long()
    return F.cross_entropy(torch.randn(4, 3), labels)  # right


def expected_to_fail():
    import pytest

    with pytest.raises(RuntimeError):
        F.cross_entropy(torch.randn(4, 3), torch.Tensor([0, 2, 1, 1]))  # right
