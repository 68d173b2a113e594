"""LG101: a static method divides."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
class Texts(Dataset):
    def __init__(self, items):
        self.items = items
    def __len__(self):
        return len(self.items)
    def __getitem__(self, i):
        text, score = self.items[i]
        return {"ids": torch.tensor([len(text), 1]), "label": self.to_label(score)}
    @staticmethod
    def to_label(score):
        return score / 5  # guilty
items = [("good", 5), ("bad", 0), ("fine", 5), ("meh", 0)]
net = nn.Embedding(10, 2)
for batch in DataLoader(Texts(items), batch_size=2):
    logits = net(batch["ids"]).mean(1)
    loss = F.cross_entropy(logits, batch["label"])
