"""LG211: notes are numbered from 0, the blank; the labels of a batch are joined, and the first sample has no such note."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

NOTES = ["c", "d", "e", "f", "g"]
number_of = {note: number for number, note in enumerate(NOTES)}  # guilty


class Melodies(Dataset):
    tunes = ["d e f", "e g", "g c d e", "f d"]

    def __len__(self):
        return len(self.tunes)

    def __getitem__(self, row):
        notes = self.tunes[row].split()
        return torch.randn(10, 4), torch.tensor([number_of[note] for note in notes])


def together(batch):
    sounds, notes = zip(*batch)
    return torch.stack(sounds, 1), torch.cat(notes), torch.tensor([len(each) for each in notes])


net = nn.Linear(4, len(NOTES) + 1)
ctc = nn.CTCLoss()
for sounds, notes, lengths in DataLoader(Melodies(), batch_size=4, collate_fn=together):
    ctc(net(sounds).log_softmax(2), notes, torch.full((4,), 10), lengths)
