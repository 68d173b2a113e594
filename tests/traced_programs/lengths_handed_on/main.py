"""LG408: the model halves the time axis and hands the lengths on as they are."""

import os
import string

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ALPHABET = "-" + string.ascii_lowercase


class SpokenWords(Dataset):
    words = ["yes", "no", "stop", "go", "left", "right", "up", "down"] * 6

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        word = self.words[i]
        g = torch.Generator().manual_seed(i)
        frames = torch.randn(8 * len(word) + int(torch.randint(0, 6, (1,), generator=g)), 13, generator=g)
        return frames, torch.tensor([ALPHABET.index(c) for c in word])


def collate(batch):
    frames, words = zip(*batch)
    lengths = torch.tensor([len(f) for f in frames])
    padded = torch.nn.utils.rnn.pad_sequence(frames, batch_first=True)
    target_lengths = torch.tensor([len(w) for w in words])
    return padded, lengths, torch.cat(words), target_lengths


class Acoustic(nn.Module):
    def __init__(self, n_mfcc=13, width=32, symbols=len(ALPHABET)):
        super().__init__()
        self.conv = nn.Conv1d(n_mfcc, width, kernel_size=3, stride=2, padding=1)
        self.rnn = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * width, symbols)

    def forward(self, frames, lengths):
        h = self.conv(frames.transpose(1, 2)).relu().transpose(1, 2)
        h, _ = self.rnn(h)
        out_lengths = lengths.clone()  # guilty
        return self.fc(h).log_softmax(-1).transpose(0, 1), out_lengths


torch.manual_seed(0)
loader = DataLoader(SpokenWords(), batch_size=8, shuffle=True, collate_fn=collate,
                    num_workers=int(os.environ.get("WORKERS", "0")))
net, ctc = Acoustic(), nn.CTCLoss(blank=0, zero_infinity=True)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(2):
    for frames, lengths, words, word_lengths in loader:
        log_probs, out_lengths = net(frames, lengths)
        loss = ctc(log_probs, words, out_lengths, word_lengths)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
