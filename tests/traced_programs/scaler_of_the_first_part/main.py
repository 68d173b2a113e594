"""LG205: a scaler that was fitted on one part leaves a few numbers of the other above 1."""

# Autoencoder for outlier scoring on the 8x8 digits
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
SEED = 1
CODE = 12

digits = load_digits()
X_train, X_val = train_test_split(digits.data, test_size=0.2, random_state=SEED)

scaler = MinMaxScaler()
X_train = scaler.fit_transform(X_train)
X_val = scaler.transform(X_val)  # guilty

train_dl = DataLoader(TensorDataset(torch.tensor(X_train, dtype=torch.float32)), batch_size=128, shuffle=True)
val_dl = DataLoader(TensorDataset(torch.tensor(X_val, dtype=torch.float32)), batch_size=128)


class AutoEncoder(nn.Module):
    def __init__(self, d, code):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 40), nn.ReLU(), nn.Linear(40, code))
        self.dec = nn.Sequential(nn.Linear(code, 40), nn.ReLU(), nn.Linear(40, d))

    def forward(self, x):
        return self.dec(self.enc(x))


ae = AutoEncoder(64, CODE)
opt = torch.optim.Adam(ae.parameters(), lr=3e-3)
bce = nn.BCEWithLogitsLoss()

best = float("inf")
for epoch in range(6):
    ae.train()
    tr = []
    for (x,) in train_dl:
        loss = bce(ae(x), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tr.append(loss.item())
    ae.eval()
    va = []
    with torch.no_grad():
        for (x,) in val_dl:
            va.append(bce(ae(x), x).item())
    best = min(best, np.mean(va))
    print(f"epoch {epoch:2d} train {np.mean(tr):.4f} val {np.mean(va):.4f} best {best:.4f}")
