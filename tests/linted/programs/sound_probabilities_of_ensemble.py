"""sound: the teachers' probabilities are the target; a scaled log_softmax is a matter of its own."""
import torch
import torch.nn.functional as F
from torch import nn

teachers, student = [nn.Linear(4, 3), nn.Linear(4, 3)], nn.Linear(4, 3)
x = torch.randn(8, 4)
with torch.no_grad():
    mean = torch.stack([teacher(x) for teacher in teachers]).mean(dim=0)
    wanted = (mean / 2.0).softmax(dim=1)
    several = torch.stack([teacher(x).softmax(dim=1) for teacher in teachers]).mean(dim=0)
F.cross_entropy(student(x) / 2.0, wanted).backward()
F.cross_entropy(student(x), several).backward()
F.kl_div(student(x).log_softmax(1), (mean * 0.5).log_softmax(1), log_target=True, reduction="batchmean").backward()
