from dataclasses import dataclass
from typing import List

import numpy as np
import torch


@dataclass
class Corpus:
    train: List[np.ndarray]
    valid: List[np.ndarray]
    vocab_size: int
    max_positions: int


def build_corpus(n: int = 240, vocab_size: int = 40, seed: int = 19) -> Corpus:
    rng = np.random.default_rng(seed)
    reviews = [np.cumsum(rng.integers(1, 4, size=int(rng.integers(5, 12) + i // 20))) % vocab_size for i in range(n)]
    cut = int(0.85 * n)
    train, valid = reviews[:cut], reviews[cut:]
    longest = max(len(r) for r in train)  # guilty
    return Corpus(train, valid, vocab_size, longest)


def batches(reviews: List[np.ndarray], size: int):
    for s in range(0, len(reviews), size):
        chunk = reviews[s:s + size]
        width = max(map(len, chunk))
        ids = torch.full((len(chunk), width), -100, dtype=torch.long)
        for k, r in enumerate(chunk):
            ids[k, :len(r)] = torch.from_numpy(r)
        yield ids[:, :-1].clamp(min=0), ids[:, 1:]
