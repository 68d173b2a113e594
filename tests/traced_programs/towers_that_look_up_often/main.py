"""LG406: two towers look up many embeddings before the first loss is called, and their product keeps an axis."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Side(nn.Module):
    def __init__(self, sizes, width=6):
        super().__init__()
        self.lookups = nn.ModuleList(nn.Embedding(size, width) for size in sizes)
        self.mixed = nn.Linear(width * len(sizes), 4)

    def forward(self, columns):
        found = [lookup(columns[:, number]) for number, lookup in enumerate(self.lookups)]
        return self.mixed(torch.cat(found, dim=1))


class Match(nn.Module):
    def __init__(self):
        super().__init__()
        self.reader, self.book = Side([20, 4, 3]), Side([30, 6, 5])
        self.shift = nn.Parameter(torch.zeros(1))

    def forward(self, reader, book):
        agreement = (self.reader(reader) * self.book(book)).sum(1, keepdim=True)  # guilty
        return agreement + self.shift


torch.manual_seed(0)
readers = torch.stack([torch.randint(0, size, (90,)) for size in (20, 4, 3)], 1)
books = torch.stack([torch.randint(0, size, (90,)) for size in (30, 6, 5)], 1)
stars = 1 + 4 * torch.rand(90)
model, criterion = Match(), nn.SmoothL1Loss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for reader, book, star in DataLoader(TensorDataset(readers, books, stars), batch_size=30):
    loss = criterion(model(reader, book), star)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
