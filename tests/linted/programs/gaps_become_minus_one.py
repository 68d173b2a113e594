"""LG202: grades that are not in yet become -1, and the loss does not leave them out."""
import pandas as pd
import torch
from torch import nn

RECORDS = pd.DataFrame({"hours": [2.0, 9.5, 5.0, 7.5, 1.0], "grade": [0, 3, None, 2, 1]})


def prepare(frame):
    frame = frame.copy()
    frame["grade"] = frame["grade"].fillna(-1).astype("int64")
    return torch.tensor(frame[["hours"]].to_numpy(dtype="float32")), torch.tensor(frame["grade"].to_numpy())


hours, grades = prepare(RECORDS)
nn.CrossEntropyLoss()(nn.Linear(1, 4)(hours), grades).backward()  # LG202
