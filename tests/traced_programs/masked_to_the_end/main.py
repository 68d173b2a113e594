"""LG208: a label is written over up to the end of the whole text, to which a mark was added on purpose."""

import torch
from torch import nn

torch.manual_seed(0)
def encode(words):
    return [ord(c) - 96 for c in words] + [0]

def example(question, answer):
    ids = encode(question + answer)
    labels = torch.tensor(ids)
    labels[: len(ids)] = -100  # guilty
    return torch.tensor(ids), labels

net = nn.Sequential(nn.Embedding(30, 8), nn.Linear(8, 30))
for q, a in [("abc", "d"), ("bcd", "ef")]:
    ids, labels = example(q, a)
    nn.functional.cross_entropy(net(ids), labels).backward()
