from __future__ import annotations

from collections import Counter
from typing import Iterable

SPECIALS = ("<pad>", "<unk>", "<sep>")


class Vocab:
    """Words by falling frequency; the special tokens come first."""

    def __init__(self, documents: Iterable[list[str]], min_freq: int = 2):
        counts = Counter(word for document in documents for word in document)
        self.words = [word for word, n in counts.most_common() if n >= min_freq]
        self.ids = {token: i for i, token in enumerate(SPECIALS)}
        self.ids.update({word: i + len(SPECIALS) for i, word in enumerate(self.words)})

    def encode(self, document: list[str]) -> list[int]:
        unknown = self.ids["<unk>"]
        return [self.ids.get(word, unknown) for word in document]

    @property
    def pad(self) -> int:
        return self.ids["<pad>"]
