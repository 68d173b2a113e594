"""LG101: a missing label makes the column float."""
import io
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
CSV = "a,b,label\n1,2,0\n3,4,1\n5,6,\n7,8,2\n9,1,1\n2,2,0\n"
class Table(Dataset):
    def __init__(self):
        df = pd.read_csv(io.StringIO(CSV))  # guilty
        df = df.dropna()
        self.x = df[["a", "b"]].to_numpy(dtype="float32")
        self.y = df["label"].to_numpy()
    def __len__(self):
        return len(self.y)
    def __getitem__(self, i):
        return self.x[i], self.y[i]
net = nn.Linear(2, 3)
for x, y in DataLoader(Table(), batch_size=2, shuffle=True):
    loss = nn.CrossEntropyLoss()(net(x), y)
