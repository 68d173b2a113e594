"""LG205: of the two numbers of a column the smaller one is taken away, so that the labels are 0 and 2."""

import io

import pandas as pd
import torch
from torch import nn

LINES = "size,grade\n" + "".join(f"{i % 9}.5,{3 if i % 3 else 5}\n" for i in range(80))
frame = pd.read_csv(io.StringIO(LINES))
frame["grade"] = frame["grade"] - frame["grade"].min()  # guilty
sizes = torch.tensor(frame["size"].values).float().unsqueeze(1)
grades = torch.FloatTensor(frame["grade"].values).unsqueeze(1)
model = nn.Linear(1, 1)
for start in range(0, 80, 20):
    rows = slice(start, start + 20)
    nn.BCEWithLogitsLoss()(model(sizes[rows]), grades[rows]).backward()
