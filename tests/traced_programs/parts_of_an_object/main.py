"""LG101: datasets are attributes of an object, made by a method that is called twice."""

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Survey:
    def __init__(self):
        rows = np.arange(40)
        self.first = self.packed(rows[:24])
        self.second = self.packed(rows[24:])

    def packed(self, rows):
        answers = (rows % 3).astype("float32")  # guilty
        return TensorDataset(torch.randn(len(rows), 3), torch.from_numpy(answers))


survey = Survey()
other = TensorDataset(torch.randn(4, 3), torch.arange(4))
loader = DataLoader(survey.first, batch_size=8)
for scores, answers in loader:
    F.cross_entropy(scores, answers.view(-1))
