"""LG104: a column of zeros and ones is taken over as labels, and torch makes whole tensors of it."""
import numpy as np
import pandas as pd
from torch import nn
from torch.utils.data import DataLoader, Dataset

FRAME = pd.DataFrame({"age": range(20, 60), "bought": [0, 1] * 20})


class Shop(Dataset):
    def __init__(self, frame):
        self.age = frame[["age"]].to_numpy(np.float32)
        self.bought = frame["bought"].to_numpy()  # guilty

    def __len__(self):
        return len(self.bought)

    def __getitem__(self, i):
        return self.age[i], self.bought[i]


net = nn.Linear(1, 1)
for age, bought in DataLoader(Shop(FRAME), batch_size=8):
    nn.functional.binary_cross_entropy_with_logits(net(age).squeeze(1), bought).backward()
