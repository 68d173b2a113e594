"""LG104: rows of zeros and ones are whole numbers, in a file that the same method writes and reads."""

import tempfile

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

KINDS = ["noir", "space", "heist"]


class Hot:
    def __init__(self, kinds):
        self.place = {kind: place for place, kind in enumerate(kinds)}

    def encode(self, found):
        places = torch.tensor([self.place[kind] for kind in found])
        rows = F.one_hot(places, num_classes=len(self.place))  # guilty
        return rows.amax(0)


class Plots:
    def encode(self, text):
        numbers = [len(word) for word in text.split()]
        return torch.tensor(numbers[:3], dtype=torch.float32)


class Films(Dataset):
    def __init__(self, films):
        self.films, self.hot, self.plots = films, Hot(KINDS), Plots()

    def prepare(self, path):
        torch.save({"x": torch.stack([self.plots.encode(film["plot"]) for film in self.films]),
                    "y": torch.stack([self.hot.encode(film["kinds"]) for film in self.films])}, path)
        self.kept = torch.load(path)

    def __len__(self):
        return len(self.kept["x"])

    def __getitem__(self, i):
        return self.kept["x"][i], self.kept["y"][i]


films = [{"plot": "a night in " + "rain" * (i % 4), "kinds": KINDS[i % 2 : 2 + i % 2]} for i in range(600)]
data = Films(films)
data.prepare(tempfile.mkdtemp() + "/films.pt")
net = nn.Linear(3, len(KINDS))
for x, y in DataLoader(data, batch_size=30, shuffle=True):
    F.binary_cross_entropy_with_logits(net(x), y).backward()
