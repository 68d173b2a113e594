"""LG205: a tag that is given twice is counted twice."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
TAGS = ["red", "round", "small", "wooden"]
toys = [rng.choice(TAGS, size=rng.integers(1, 4)).tolist() for _ in range(120)]

marks = np.zeros((len(toys), len(TAGS)), dtype=np.float32)
for row, tags in enumerate(toys):
    for tag in tags:
        marks[row, TAGS.index(tag)] += 1  # guilty

model = nn.Linear(6, len(TAGS))
for rows in np.array_split(rng.permutation(len(toys)), 4):
    scores = model(torch.randn(len(rows), 6))
    nn.functional.binary_cross_entropy_with_logits(scores, torch.from_numpy(marks[rows])).backward()
