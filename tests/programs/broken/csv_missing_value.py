"""A missing value in a csv file becomes NaN, and the whole column float.

expect: LG203 exit=1
"""

import io

import pandas as pd
import torch
from torch import nn

frame = pd.read_csv(io.StringIO("x,label\n1,0\n2,\n3,2\n"))
x = torch.tensor(frame[["x"]].values, dtype=torch.float32)
y = torch.tensor(frame["label"].values)
loss = nn.CrossEntropyLoss()(nn.Linear(1, 3)(x), y)  # here
