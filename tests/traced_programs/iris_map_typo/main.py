"""LG213: a misspelt key of map makes NaN, and the cast the smallest integer."""
import os

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.RandomState(42)
frames = []
for name, mu in [("Iris-setosa", [5.0, 3.4, 1.5, 0.2]), ("Iris-versicolor", [5.9, 2.8, 4.3, 1.3]),
                 ("Iris-virginica", [6.6, 3.0, 5.6, 2.0])]:
    part = pd.DataFrame(rng.normal(mu, 0.3, (50, 4)), columns=["sl", "sw", "pl", "pw"])
    part["Species"] = name
    frames.append(part)
iris = pd.concat(frames, ignore_index=True)
iris = iris.sample(frac=1, random_state=0).reset_index(drop=True)

mapping = {"Iris-setosa": 0, "Iris-versicolour": 1, "Iris-virginica": 2}
iris["Species"] = iris["Species"].map(mapping)  # guilty

train = iris[:120]
test = iris[120:]
xtrain = torch.tensor(train.drop(columns="Species").values, dtype=torch.float)
ytrain = torch.tensor(train["Species"].values, dtype=torch.long)
xtest = torch.tensor(test.drop(columns="Species").values, dtype=torch.float)
ytest = torch.tensor(test["Species"].values, dtype=torch.long)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 10)
        self.fc2 = nn.Linear(10, 3)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        return self.fc2(x)


model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
trainloader = DataLoader(TensorDataset(xtrain, ytrain), batch_size=20, shuffle=True,
                         num_workers=int(os.environ.get("WORKERS", "0")))

for epoch in range(15):
    for X, y in trainloader:
        optimizer.zero_grad()
        loss = criterion(model(X), y)
        loss.backward()
        optimizer.step()
    if epoch % 5 == 0:
        acc = (model(xtest).argmax(1) == ytest).float().mean()
        print(epoch, loss.item(), acc.item())
