import random
import string
from functools import lru_cache

import torch
from torch.utils.data import Dataset

CHARS = string.digits + string.ascii_uppercase
PLATE_LEN = 5


@lru_cache(maxsize=None)
def encode_char(ch):
    return ord(ch) - ord("0")  # guilty


@lru_cache(maxsize=None)
def glyph(ch):
    return torch.randn(24, generator=torch.Generator().manual_seed(ord(ch)))


class PlateDataset(Dataset):
    def __init__(self, n, seed=0):
        rng = random.Random(seed)
        self.plates = ["".join(rng.choices(CHARS, k=PLATE_LEN)) for _ in range(n)]

    def __len__(self):
        return len(self.plates)

    def __getitem__(self, i):
        plate = self.plates[i]
        crops = torch.stack([glyph(c) for c in plate])
        return crops + 0.1 * torch.randn_like(crops), torch.tensor([encode_char(c) for c in plate])
