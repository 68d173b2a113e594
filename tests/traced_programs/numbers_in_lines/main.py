"""LG201: numbers that count from 1 are read out of lines that a generator gives."""

import torch
import torch.nn.functional as F


def lines():
    yield "# question answer"
    for row in range(6):
        yield f"{row}; {row % 3 + 1}; x"


def answers(source):
    cells = (line.split(";") for line in source if not line.startswith("#"))
    return torch.tensor([int(answer) for _, answer, *_ in cells])  # guilty


def main():
    wanted = answers(lines())
    F.cross_entropy(torch.randn(6, 3), wanted)


main()
