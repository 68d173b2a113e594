"""Labels and inputs in the wrong dtype, as training code has them."""

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn


def float_labels_from_a_list():
    logits = torch.randn(4, 3)
    labels = torch.Tensor([0, 2, 1, 1])
    return F.cross_entropy(logits, labels)  # LG101


def float_labels_by_cast():
    head = nn.Linear(8, 5)
    labels = torch.randint(0, 5, (16,)).float()
    return F.nll_loss(head(torch.randn(16, 8)).log_softmax(1), labels)  # LG101


def float_labels_from_numpy():
    labels = torch.from_numpy(np.zeros(6))
    return nn.CrossEntropyLoss()(torch.randn(6, 4), labels)  # LG101


def float_tensor_for_margin_loss():
    return F.multi_margin_loss(torch.randn(3, 4), torch.FloatTensor([0, 1, 2]))  # LG101


def int_labels():
    logits = torch.randn(4, 3)
    return F.cross_entropy(logits, torch.tensor([0, 1, 2, 1]).int())  # LG102


def int_labels_of_numpy():
    labels = np.array([0, 1, 2, 1], dtype=np.int32)
    return F.nll_loss(torch.randn(4, 3).log_softmax(dim=1), torch.from_numpy(labels))  # LG102


def category_codes():
    frame = pd.DataFrame({"kind": ["a", "b", "a", "c"]})
    labels = torch.tensor(frame["kind"].astype("category").cat.codes.values)
    return F.cross_entropy(torch.randn(4, 3), labels)  # LG102


def short_labels():
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    return criterion(torch.randn(4, 3), torch.tensor([0, 1, 2, 1], dtype=torch.int16))  # LG102


def comparison_as_labels():
    scores = torch.randn(8)
    return F.cross_entropy(torch.randn(8, 2), scores > 0)  # LG103


def boolean_literal_labels():
    return F.nll_loss(torch.randn(2, 2).log_softmax(1), torch.tensor([True, False]))  # LG103


def long_target_for_binary():
    logits = torch.randn(8)
    return F.binary_cross_entropy_with_logits(logits, torch.randint(0, 2, (8,)))  # LG104


def long_target_for_bce_module():
    criterion = nn.BCELoss()
    return criterion(torch.sigmoid(torch.randn(8)), torch.zeros(8).long())  # LG104


def boolean_target_for_bce():
    values = torch.randn(8)
    return nn.BCEWithLogitsLoss()(values, values > 0.5)  # LG104


def whole_target_for_regression():
    model = nn.Linear(3, 1)
    return F.huber_loss(model(torch.randn(4, 3)), torch.tensor([[1], [2], [3], [4]]))  # LG104


def double_target_for_regression():
    model = nn.Linear(3, 1)
    target = torch.from_numpy(np.ones((4, 1)))
    return F.huber_loss(model(torch.randn(4, 3)), target)  # LG105


def double_target_for_bce():
    probabilities = torch.randn(8).sigmoid()
    return F.binary_cross_entropy(probabilities, torch.ones(8, dtype=torch.float64))  # LG105


def half_weights():
    weight = torch.ones(3).half()
    return F.cross_entropy(torch.randn(4, 3), torch.tensor([0, 1, 2, 1]), weight=weight)  # LG105


def predicted_classes_as_logits():
    logits = torch.randn(4, 3)
    return F.cross_entropy(logits.argmax(1).unsqueeze(1), torch.zeros(4, dtype=torch.long))  # LG106


def whole_scores():
    return F.nll_loss(torch.randint(0, 5, (4, 3)), torch.tensor([0, 1, 2, 1]))  # LG106


def float_words():
    table = nn.Embedding(100, 16)
    return table(torch.Tensor([1, 5, 7]))  # LG107


def float_index_for_gather():
    scores = torch.randn(4, 3)
    index = torch.zeros(4, 1)
    return torch.gather(scores, 1, index)  # LG107


def float_labels_for_one_hot():
    return F.one_hot(torch.tensor([0.0, 1.0, 2.0]), num_classes=3)  # LG107


def byte_mask_as_labels():
    mask = torch.zeros(2, 4, 4, dtype=torch.uint8)
    return F.cross_entropy(torch.randn(2, 3, 4, 4), mask)  # LG109
