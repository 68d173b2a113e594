"""Receipts of regular customers: what was scanned, in order."""
from __future__ import annotations

import numpy as np

AISLES = {
    "dairy": ["milk", "butter", "yoghurt", "cheese"], "bakery": ["bread", "rolls", "cake"],
    "produce": ["apple", "banana", "carrot", "onion", "salad"], "pantry": ["rice", "pasta", "beans", "oil"],
    "drinks": ["water", "juice", "coffee"],
}
PRODUCTS = [product for aisle in AISLES.values() for product in aisle]


def receipts(n_customers: int, weeks: int, seed: int) -> dict[int, list[list[str]]]:
    rng = np.random.default_rng(seed)
    book = {}
    for customer in range(n_customers):
        liking = rng.dirichlet(np.full(len(PRODUCTS), 0.4))
        book[customer] = [rng.choice(PRODUCTS, size=int(rng.integers(4, 11)), p=liking).tolist() for _ in range(weeks)]
    return book
