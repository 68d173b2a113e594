"""Labels read row by row from a frame whose column turned float because one value was missing once.

expect: LG101 exit=1 fixed
"""

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

frame = pd.DataFrame({"x": [0.1, 0.2, 0.3, 0.4, 0.5], "label": [1, 0, None, 2, 1]}).dropna()


class Rows(Dataset):
    def __len__(self):
        return len(frame)

    def __getitem__(self, index):
        row = frame.iloc[index]
        return torch.tensor([row["x"]], dtype=torch.float32), torch.tensor(row["label"])


model = nn.Linear(1, 3)
for x, label in DataLoader(Rows(), batch_size=2):
    loss = nn.functional.cross_entropy(model(x), label)  # here
    loss.backward()
