"""LG304: the mean of the teachers' logits is given for probabilities."""
import torch
import torch.nn.functional as F
from torch import nn


class Teachers(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.each = nn.ModuleList([nn.Linear(4, 3) for _ in range(number)])

    def forward(self, x):
        return torch.stack([teacher(x) for teacher in self.each]).mean(dim=0)


def distil(teachers, student, x, temperature=2.0):
    with torch.no_grad():
        wanted = teachers(x) / temperature
    F.cross_entropy(student(x) / temperature, wanted).backward()  # LG304


if __name__ == "__main__":
    distil(Teachers(2), nn.Linear(4, 3), torch.randn(8, 4))
