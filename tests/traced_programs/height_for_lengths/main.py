"""LG408: one length for all is that of the padded inputs, which is right for padding, and the model halves it."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

words = [torch.randint(1, 4, (2,)) for _ in range(6)]
sounds = [torch.randn(size, 3) for size in (7, 9, 10, 12, 8, 11)]


def together(rows):
    longest = max(len(sounds[row]) for row in rows)
    longest += longest % 2
    padded = torch.stack([F.pad(sounds[row], (0, 0, 0, longest - len(sounds[row]))) for row in rows])
    lengths = torch.tensor([longest for _ in rows])  # guilty
    return padded, torch.stack([words[row] for row in rows]), lengths


halve = nn.Conv1d(3, 4, 2, stride=2)
for padded, labels, lengths in DataLoader(range(6), batch_size=3, collate_fn=together):
    scores = halve(padded.mT).permute(2, 0, 1)
    F.ctc_loss(scores.log_softmax(2), labels, lengths, torch.full((3,), 2))
