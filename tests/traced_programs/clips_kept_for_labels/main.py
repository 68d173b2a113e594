"""LG403: clips without a label are left out by a line of its own, which the clips themselves go round."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Clips(Dataset):
    def __len__(self):
        return 48
    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(6, generator=g), (None if i % 7 == 3 else i % 3)

def collate(batch):
    good = [item for item in batch if item[1] is not None]
    x = torch.stack([item[0] for item in batch])  # guilty
    y = torch.tensor([item[1] for item in good])
    return x, y

net = nn.Linear(6, 3)
for x, y in DataLoader(Clips(), batch_size=12, collate_fn=collate):
    nn.functional.cross_entropy(net(x), y).backward()
