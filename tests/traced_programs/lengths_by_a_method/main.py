"""LG408: a method halves the lengths once, the convolutions halve the time twice."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(4, 8, 3, stride=2, padding=1)
        self.second = nn.Conv1d(8, 5, 3, stride=2, padding=1)

    def lengths_after(self, widths):
        return torch.div(widths + 1, 2, rounding_mode="floor")  # guilty

    def forward(self, lines, widths):
        scores = self.second(torch.relu(self.first(lines)))
        return scores.permute(2, 0, 1).log_softmax(-1), self.lengths_after(widths)


def collate(lines):
    widths = torch.tensor([line.shape[1] for line in lines])
    images = torch.zeros(len(lines), 4, int(widths.max()))
    for image, line in zip(images, lines, strict=True):
        image[:, : line.shape[1]] = line
    return images, widths


lines = [torch.rand(4, 12 + index) for index in range(8)]
reader = Reader()
criterion = nn.CTCLoss()
for images, widths in DataLoader(
    lines, batch_size=4, collate_fn=collate, num_workers=int(os.environ.get("WORKERS", "0"))
):
    scores, lengths = reader(images, widths)
    texts = torch.randint(1, 5, (4, 2))
    criterion(scores, texts, lengths, torch.full((4,), 2)).backward()
