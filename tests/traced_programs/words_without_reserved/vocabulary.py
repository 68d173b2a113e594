from collections import Counter
from collections.abc import Iterable


class Vocabulary:
    PAD, START, END = range(3)
    RESERVED = ("<pad>", "<start>", "<end>")

    def __init__(self, lines: Iterable[str]):
        counts = Counter(word for line in lines for word in line.split())
        self.words = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
        self._index = {word: place + len(self.RESERVED) for place, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)  # guilty

    def __contains__(self, word: str) -> bool:
        return word in self._index

    def encode(self, line: str) -> list[int]:
        return [self.START, *(self._index[word] for word in line.split()), self.END]

    def decode(self, ids: Iterable[int]) -> str:
        names = [*self.RESERVED, *self.words]
        return " ".join(names[i] for i in ids if i > self.END)
