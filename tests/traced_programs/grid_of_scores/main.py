"""LG404: the scores of all cells are laid out as a grid with the classes last."""
import torch
from torch import nn


class Cells(nn.Module):
    def __init__(self, side=5, kinds=3):
        super().__init__()
        self.side, self.kinds = side, kinds
        self.score = nn.Linear(7, kinds)

    def forward(self, cells):
        flat = self.score(cells)
        return flat.reshape(-1, self.side, self.side, self.kinds)  # guilty


model = Cells()
loss_function = nn.CrossEntropyLoss()
for _ in range(2):
    scores = model(torch.randn(4, 25, 7))
    loss = loss_function(scores, torch.randint(0, 3, (4, 5, 5)))
