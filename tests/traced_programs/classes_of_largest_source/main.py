"""LG201: labels of several sources are moved apart, but classes are counted in the largest source alone."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset


@dataclass
class Source:
    names: list[str]
    rows: int
    first: int = 0


class Items(Dataset):
    def __init__(self, source: Source) -> None:
        own = torch.arange(source.rows) % len(source.names)
        self.kinds = own + source.first
        self.x = torch.randn(source.rows, 4)

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, place: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.x[place], self.kinds[place]


class Everything:
    def __init__(self, sources: list[Source]) -> None:
        first, parts = 0, []
        for source in sources:
            source.first = first
            parts.append(Items(source))
            first += len(source.names)
        self.items = ConcatDataset(parts)
        self.classes = max(len(source.names) for source in sources)  # guilty


torch.manual_seed(2)
SOURCES = [Source(["cup", "pot", "pan", "lid"], 40), Source(["rug", "mat", "bed"], 30)]
shop = Everything(SOURCES)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, shop.classes))
for x, y in DataLoader(shop.items, batch_size=10, shuffle=True):
    nn.functional.cross_entropy(model(x), y).backward()
