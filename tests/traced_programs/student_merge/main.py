"""LG213: a left merge leaves a grade missing."""
import os

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def load_students(n=60):
    rng = np.random.default_rng(21)
    hours = rng.uniform(0, 20, n)
    return pd.DataFrame({
        "student_id": np.arange(1000, 1000 + n),
        "hours": hours,
        "absences": rng.integers(0, 10, n),
    })


def load_grades(students):
    grades = students.loc[students["student_id"] != 1037, ["student_id"]].copy()
    grades["grade"] = pd.cut(students["hours"], [-1, 5, 10, 15, 20], labels=False)
    return grades


students = load_students()
grades = load_grades(students)
table = students.merge(grades, on="student_id", how="left")  # guilty

x = torch.tensor(table[["hours", "absences"]].to_numpy() / 20, dtype=torch.float32)
y = torch.tensor(table["grade"].to_numpy()).long()

torch.manual_seed(1)
loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True,
                    num_workers=int(os.environ.get("WORKERS", "0")))
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for epoch in range(2):
    total = 0.0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = criterion(net(inputs), targets)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
