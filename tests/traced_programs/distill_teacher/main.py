"""LG304: logits of a teacher are given as soft targets."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def distill(student, teacher, loader, T=2.0, alpha=0.5):
    ce = nn.CrossEntropyLoss()
    for x, y in loader:
        with torch.no_grad():
            soft = teacher(x) / T  # guilty
        out = student(x)
        loss = alpha * ce(out, y) + (1 - alpha) * ce(out / T, soft)
        loss.backward()


torch.manual_seed(2)
teacher, student = nn.Linear(5, 3), nn.Linear(5, 3)
teacher.eval()
loader = DataLoader(TensorDataset(torch.randn(30, 5), torch.randint(0, 3, (30,))), batch_size=10, num_workers=int(os.environ.get("WORKERS", "0")))
distill(student, teacher, loader)
