"""LG105: an object that a call has given casts what becomes a tensor elsewhere."""

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.feature_extraction.text import CountVectorizer
from torch import nn

from tags import TOPICS, TagEncoder, articles


class Tagger(nn.Module):
    def __init__(self, vocabulary, topics):
        super().__init__()
        self.hidden = nn.Linear(vocabulary, 32)
        self.topics = nn.Linear(32, topics)

    def forward(self, counts):
        return torch.sigmoid(self.topics(torch.relu(self.hidden(counts))))


def batches(x, y, size, rng):
    order = rng.permutation(len(x))
    for start in range(0, len(order), size):
        rows = order[start:start + size]
        yield torch.from_numpy(x[rows]), torch.from_numpy(y[rows])


def main():
    torch.manual_seed(17)
    rng = np.random.default_rng(17)
    texts, tags = articles(300, seed=17)
    x = CountVectorizer(dtype=np.float32).fit_transform(texts).toarray()
    y = TagEncoder().fit(tags)(tags)
    model = Tagger(x.shape[1], len(TOPICS))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(4):
        for counts, wanted in batches(x, y, 30, rng):
            probabilities = model(counts)
            loss = F.binary_cross_entropy(probabilities, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
