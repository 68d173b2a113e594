"""LG305: a loss of classes is made for a model with one output."""

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

# In[1]: data
rng = np.random.default_rng(1912)
n = 700
df = pd.DataFrame({
    "Pclass": rng.choice([1, 2, 3], n, p=[0.25, 0.2, 0.55]),
    "Sex": rng.choice(["male", "female"], n, p=[0.65, 0.35]),
    "Age": np.where(rng.random(n) < 0.2, np.nan, rng.normal(30, 13, n).clip(1, 80)),
    "Fare": rng.gamma(1.5, 20, n),
    "Embarked": rng.choice(["S", "C", "Q"], n),
})
logit = 1.8 * (df["Sex"] == "female") - 0.7 * (df["Pclass"] - 2) - 0.6 + rng.normal(0, 0.7, n)
df["Survived"] = (logit > 0).astype(int)

# In[2]: cleaning
df["Age"] = df.groupby(["Pclass", "Sex"])["Age"].transform(lambda s: s.fillna(s.median()))
df["AgeBand"] = pd.cut(df["Age"], [0, 12, 20, 40, 60, 120], labels=False)
df["FareLog"] = np.log1p(df["Fare"])
df = pd.get_dummies(df, columns=["Sex", "Embarked", "Pclass"], drop_first=True)
print(df.groupby("AgeBand")["Survived"].mean())

# In[3]: tensors
features = [c for c in df.columns if c not in ("Survived", "Fare", "Age")]
X = df[features].astype("float32").to_numpy()
X = (X - X.mean(0)) / X.std(0)
y = df["Survived"].to_numpy(dtype="float32").reshape(-1, 1)
X_train, X_valid = torch.tensor(X[:560]), torch.tensor(X[560:])
y_train, y_valid = torch.tensor(y[:560]), torch.tensor(y[560:])
train_dl = DataLoader(TensorDataset(X_train, y_train), batch_size=40, shuffle=True)

# In[4]: model
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(len(features), 24), nn.ReLU(), nn.Dropout(0.2),
    nn.Linear(24, 1),
)
criterion = nn.CrossEntropyLoss()  # guilty
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

# In[5]: fit
for epoch in range(6):
    model.train()
    running = 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        out = model(xb)
        loss = criterion(out, yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(xb)
    model.eval()
    with torch.no_grad():
        acc = ((model(X_valid) > 0).float() == y_valid).float().mean()
    print(f"epoch {epoch}: loss {running / len(X_train):.4f}, valid acc {acc:.3f}")
