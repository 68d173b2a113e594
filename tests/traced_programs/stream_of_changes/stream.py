import itertools

import numpy as np
from torch.utils.data import IterableDataset


def read_volumes(symbol, days=40):
    return np.random.default_rng(symbol).poisson(1 + 4 * symbol, size=days).astype(np.float32)


def windows(series, size):
    for start in range(len(series) - size):
        yield series[start : start + size], series[start + size]


class Volumes(IterableDataset):
    def __init__(self, symbols, size=4):
        self.symbols = symbols
        self.size = size

    def examples(self, symbol):
        for past, following in windows(read_volumes(symbol), self.size):
            change = (following - past[-1]) / past[-1]  # guilty
            yield np.log1p(past), np.float32(change)

    def __iter__(self):
        return itertools.chain.from_iterable(map(self.examples, self.symbols))
