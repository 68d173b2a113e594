"""LG105: clicks of 32 bits are mixed with rates of 64."""

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from events import Log, accidental_rates, generate, relevance
from model import ClickModel

SETTINGS = {"rows": 3000, "alpha": 0.5, "batch_size": 128, "epochs": 2, "lr": 0.02, "seed": 12}


class Impressions(Dataset):
    def __init__(self, log: Log, target: np.ndarray):
        self.fields = [torch.from_numpy(a) for a in (log.ad, log.slot, log.hour)]
        self.target = torch.from_numpy(target)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return *(field[i] for field in self.fields), self.target[i]


def evaluate(model, log):
    with torch.no_grad():
        p = model(*(torch.from_numpy(a) for a in (log.ad, log.slot, log.hour)))
    return F.binary_cross_entropy(p, torch.from_numpy(log.clicked)).item()


def main():
    torch.manual_seed(SETTINGS["seed"])
    log = generate(SETTINGS["rows"], SETTINGS["seed"])
    order = np.random.default_rng(0).permutation(len(log))
    train, test = log.take(order[600:]), log.take(order[:600])
    soft = relevance(train, accidental_rates(), SETTINGS["alpha"])
    loader = DataLoader(Impressions(train, soft), SETTINGS["batch_size"], shuffle=True)
    model = ClickModel()
    print("before", evaluate(model, test))
    optimizer = torch.optim.Adam(model.parameters(), lr=SETTINGS["lr"])
    for epoch in range(SETTINGS["epochs"]):
        for ad, slot, hour, target in loader:
            loss = F.binary_cross_entropy(model(ad, slot, hour), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, evaluate(model, test))


if __name__ == "__main__":
    main()
