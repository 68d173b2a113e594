from dataclasses import dataclass


@dataclass
class Split:
    features: object
    codes: object
    names: list[str]


SPECIES = ["oak", "beech", "larch", "spruce"]
MEASURES = ["height", "girth", "crown"]
