"""LG210: a running estimate has a slot for each training sample, and samples have their numbers in the whole data."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


class Clips(Dataset):
    def __init__(self, many=150, width=6):
        generator = torch.Generator().manual_seed(4)
        self.sounds = torch.randn(many, width, generator=generator)
        self.kinds = (self.sounds[:, 0] > 0).long()

    def __len__(self):
        return len(self.sounds)

    def __getitem__(self, place):
        return {"sound": self.sounds[place], "kind": self.kinds[place], "place": place}


class Smoothed:
    """Keeps a running mean of what the model says of each sample."""

    def __init__(self, slots, kinds, share=0.7):
        self.share = share
        self.targets = torch.zeros((slots, kinds))

    def update(self, places, said):
        kept = self.share * self.targets[places] + (1 - self.share) * said
        self.targets[places] = kept
        return kept


def main():
    torch.manual_seed(0)
    clips = Clips()
    order = torch.randperm(len(clips)).tolist()
    train = Subset(clips, order[:120])
    smoothed = Smoothed(len(train), 2)  # guilty
    model = nn.Linear(6, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in DataLoader(train, batch_size=15, shuffle=True):
        scores = model(batch["sound"])
        targets = smoothed.update(batch["place"], scores.detach().softmax(1))
        loss = nn.functional.cross_entropy(scores, batch["kind"])
        loss = loss + (scores.softmax(1) - targets).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
