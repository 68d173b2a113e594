"""LG101: a database column of type REAL."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


import sqlite3


class Base(Dataset):
    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("create table t (id integer, label real)")
        self.db.executemany("insert into t values (?, ?)", [(i, i % 5) for i in range(40)])

    def __len__(self):
        return 40

    def __getitem__(self, i):
        row = self.db.execute("select label from t where id = ?", (i,)).fetchone()  # guilty
        return torch.ones(3), row[0]


data = Base()
model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8):
    loss = F.cross_entropy(model(features), labels)
