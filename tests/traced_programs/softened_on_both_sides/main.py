"""LG302: what is right for the teacher is done to the student as well."""
import torch
import torch.nn.functional as F
from torch import nn


def shares(scores, warmth=3.0):
    return torch.softmax(scores / warmth, dim=1)


torch.manual_seed(0)
student, teacher = nn.Linear(4, 3), nn.Linear(4, 3)
for _ in range(4):
    x = torch.randn(8, 4)
    with torch.no_grad():
        wanted = shares(teacher(x))
    given = shares(student(x))  # guilty
    F.kl_div(given, wanted, reduction="batchmean").backward()
