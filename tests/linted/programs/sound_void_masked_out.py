"""sound: what is marked is left out by a mask before the loss."""
import torch
import torch.nn.functional as F

labels = torch.randint(0, 4, (32,))
labels[torch.rand(32) < 0.2] = 255
valid = labels != 255
F.cross_entropy(torch.randn(32, 4)[valid], labels[valid])
F.cross_entropy(torch.randn(32, 4), torch.where(valid, labels, -100))
table = torch.full((9,), 255)
table[:4] = torch.arange(4)
F.cross_entropy(torch.randn(3, 4), table[torch.tensor([0, 3, 2])])
