"""LG404: the scores of steps are stacked before the notes."""

import torch
from torch.utils.data import DataLoader

from melodies import NOTES, make_tunes, make_windows
from model import Composer
from trainer import Trainer


def main():
    torch.manual_seed(0)
    windows = list(make_windows(make_tunes()))
    print(len(windows), "windows")
    loader = DataLoader(windows, batch_size=32, shuffle=True)
    trainer = Trainer(Composer(NOTES), lr=3e-3)
    trainer.fit(loader, 2)


if __name__ == "__main__":
    main()
