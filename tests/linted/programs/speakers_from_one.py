"""LG201: speakers count from 1, and each has several recordings."""
import torch
from torch import nn

SPEAKERS, RECORDINGS = 6, 3


def corpus():
    speakers = torch.arange(1, SPEAKERS + 1).repeat_interleave(RECORDINGS)
    voices = torch.randn(SPEAKERS, 8).repeat_interleave(RECORDINGS, dim=0)
    return voices + 0.1 * torch.randn(voices.shape), speakers


def main():
    voices, speakers = corpus()
    head = nn.Linear(8, SPEAKERS)
    nn.CrossEntropyLoss()(head(voices), speakers).backward()  # LG201


if __name__ == "__main__":
    main()
