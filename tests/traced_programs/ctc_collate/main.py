"""LG408: the lengths of the inputs are those before the stride of the model."""

import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Speech(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        t = 20 + 2 * i
        return torch.randn(t, 4), torch.arange(1, 4)


def pad(batch):
    waves, texts = zip(*batch)
    input_lengths = torch.tensor([len(w) for w in waves])  # guilty
    target_lengths = torch.tensor([len(t) for t in texts])
    waves = nn.utils.rnn.pad_sequence(waves, batch_first=True)
    return waves, torch.cat(texts), input_lengths, target_lengths


class Acoustic(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 8, 3, stride=2, padding=1)
        self.fc = nn.Linear(8, 6)

    def forward(self, x):
        x = self.conv(x.transpose(1, 2)).transpose(1, 2)
        return F.log_softmax(self.fc(x), dim=-1)


model = Acoustic()
ctc = nn.CTCLoss(blank=0)
for waves, texts, input_lengths, target_lengths in DataLoader(Speech(), batch_size=4, collate_fn=pad, num_workers=int(os.environ.get("WORKERS", "0"))):
    log_probs = model(waves).transpose(0, 1)
    loss = ctc(log_probs, texts, input_lengths, target_lengths)
