"""LG104: a helper that has returned used an encoder, which is gone as well, and gives whole numbers."""
import torch
from sklearn.preprocessing import MultiLabelBinarizer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TAGS = [["a"], ["a", "b"], ["c"], []] * 6


def encoded(tags):
    binarizer = MultiLabelBinarizer()
    table = binarizer.fit_transform(tags)
    return torch.from_numpy(table)  # guilty


labels = encoded(TAGS)
model = nn.Linear(2, 3)
for x, y in DataLoader(TensorDataset(torch.rand(24, 2), labels), batch_size=6):
    nn.functional.binary_cross_entropy_with_logits(model(x), y)
