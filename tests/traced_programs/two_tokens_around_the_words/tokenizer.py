from dataclasses import dataclass, field

from reviews import BAD, GOOD, NEUTRAL

PAD, CLS, SEP, UNK = "[PAD]", "[CLS]", "[SEP]", "[UNK]"


@dataclass
class Tokenizer:
    max_length: int
    ids: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.ids = {token: number for number, token in enumerate([PAD, CLS, SEP, UNK, *GOOD, *BAD, *NEUTRAL])}

    def __call__(self, words: list[str]) -> list[int]:
        tokens = [CLS] + words[:self.max_length] + [SEP]  # guilty
        return [self.ids.get(token, self.ids[UNK]) for token in tokens]
