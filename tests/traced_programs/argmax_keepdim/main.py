"""LG401: argmax keeps its axis."""
import torch
import torch.nn.functional as F
from torch import nn
def to_class(probs):
    return probs.argmax(dim=1, keepdim=True)  # guilty
teacher = nn.Linear(5, 3)
student = nn.Linear(5, 3)
x = torch.randn(12, 5)
with torch.no_grad():
    target = to_class(teacher(x).softmax(1))
loss = F.nll_loss(student(x).log_softmax(1), target)
