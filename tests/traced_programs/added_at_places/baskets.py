from __future__ import annotations

import numpy as np
import torch
from torch.utils.data import Dataset

from shop import PRODUCTS

INDEX = {product: i for i, product in enumerate(PRODUCTS)}


def ids(basket: list[str]) -> np.ndarray:
    return np.array([INDEX[product] for product in basket])


def quantities(basket: list[str]) -> np.ndarray:
    """How often each product was bought."""
    counts = np.zeros(len(PRODUCTS), dtype=np.float32)
    np.add.at(counts, ids(basket), 1.0)  # guilty
    return counts


class NextBasket(Dataset):
    """The last few baskets of a customer, and the one that followed."""

    def __init__(self, book: dict[int, list[list[str]]], history: int = 3):
        self.samples = []
        for baskets in book.values():
            vectors = [quantities(basket) for basket in baskets]
            for week in range(history, len(baskets)):
                past = np.log1p(np.stack(vectors[week - history:week]))
                bought = quantities(baskets[week])
                self.samples.append((torch.from_numpy(past), torch.from_numpy(bought)))

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, i: int):
        return self.samples[i]
