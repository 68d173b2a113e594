"""LG408: lengths are divided by more than the convolutions shorten the input."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


@dataclass(frozen=True)
class Options:
    bands: int = 6
    symbols: int = 5
    shrink: int = 6


class Listener(nn.Module):
    def __init__(self, options: Options) -> None:
        super().__init__()
        self.shrink = options.shrink
        self.front = nn.Conv1d(options.bands, 12, 3, stride=2, padding=1)
        self.out = nn.Linear(12, options.symbols + 1)

    def steps(self, frames: torch.Tensor) -> torch.Tensor:
        return frames // self.shrink  # guilty

    def forward(self, sound: torch.Tensor, frames: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.relu(self.front(sound.transpose(1, 2))).permute(2, 0, 1)
        return self.out(hidden).log_softmax(-1), self.steps(frames)


def clips(number: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(1)
    found = []
    for turn in range(number):
        length = 2 + turn % 7
        words = torch.arange(length) % 5 + 1
        found.append((torch.randn(4 * length + 4, 6, generator=generator), words))
    return found


def collate(batch: list[tuple[torch.Tensor, torch.Tensor]]) -> tuple[torch.Tensor, ...]:
    sounds, words = zip(*batch, strict=True)
    frames, sizes = torch.tensor([len(each) for each in sounds]), torch.tensor([len(each) for each in words])
    return pad_sequence(sounds, batch_first=True), frames, torch.cat(words), sizes


model, criterion = Listener(Options()), nn.CTCLoss()
for sound, frames, words, sizes in DataLoader(clips(21), batch_size=7, collate_fn=collate):
    scores, steps = model(sound, frames)
    criterion(scores, words, steps, sizes)
