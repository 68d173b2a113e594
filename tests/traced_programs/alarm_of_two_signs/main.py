"""LG103: two signs make an alarm, which is true or false where a class is wanted."""
import pandas as pd
import torch
from torch import nn


def alarms(frame):
    hot = frame["heat"] > 70
    loud = frame["noise"] > 0.6
    return hot & loud  # guilty


frame = pd.DataFrame({"heat": range(40, 100), "noise": [0.01 * number for number in range(30, 90)]})
target = torch.tensor(alarms(frame).to_numpy())
scores = nn.Linear(2, 2)(torch.tensor(frame.to_numpy(), dtype=torch.float32))
nn.functional.cross_entropy(scores, target)
