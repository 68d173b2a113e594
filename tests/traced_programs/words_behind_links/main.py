"""LG210: sentences are put one after the other, and the numbers of their words are moved on by how many links they have."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader


def sentences(many=60):
    """Each sentence has words, links between them in both directions, and a grade."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(many):
        length = int(rng.integers(3, 8))
        heads = [int(rng.integers(0, place)) for place in range(1, length)]
        links = [(place, head) for place, head in enumerate(heads, 1)]
        links += [(head, place) for place, head in links]
        found.append((rng.integers(0, 20, length), np.array(links), float(length % 3)))
    return found


def joined(batch):
    words, links, owners, first = [], [], [], 0
    for number, (text, pairs, _) in enumerate(batch):
        words.append(torch.as_tensor(text))
        links.append(torch.as_tensor(pairs) + first)
        owners.append(torch.full((len(text),), number))
        first = first + len(pairs)  # guilty
    grades = torch.tensor([grade for _, _, grade in batch])
    return torch.cat(words), torch.cat(links), torch.cat(owners), grades


class Grader(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.words = nn.Embedding(20, width)
        self.out = nn.Linear(width, 1)

    def forward(self, words, links, owners, many):
        states = self.words(words)
        sent = states[links[:, 0]]
        states = states.index_add(0, links[:, 1], sent)
        pooled = torch.zeros(many, states.shape[1]).index_add(0, owners, states)
        return self.out(pooled).squeeze(1)


def main():
    torch.manual_seed(0)
    loader = DataLoader(sentences(), batch_size=10, shuffle=True, collate_fn=joined)
    model = Grader()
    optimizer = torch.optim.Adam(model.parameters())
    for words, links, owners, grades in loader:
        loss = nn.functional.mse_loss(model(words, links, owners, len(grades)), grades)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
