import torch
from torch.utils.data import Dataset


class ShapesDetection(Dataset):
    def __init__(self, n):
        self.g = torch.Generator().manual_seed(3)
        self.items = [self._make() for _ in range(n)]

    def _make(self):
        k = int(torch.randint(1, 4, (1,), generator=self.g))
        return {
            "image": torch.rand(1, 16, 16, generator=self.g),
            "boxes": torch.rand(k, 4, generator=self.g),
            "labels": torch.randint(1, 4, (k,), generator=self.g),
            "anchor_ids": torch.randperm(12, generator=self.g)[:k],
        }

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(samples):
    images = torch.stack([s["image"] for s in samples])
    targets = [{k: v for k, v in s.items() if k != "image"} for s in samples]
    return images, targets
