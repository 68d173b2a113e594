"""LG401: an encoder of scikit-learn is given a table of one column."""

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, RobustScaler
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(31)


def penguins(n=260):
    species = rng.choice(["Adelie", "Chinstrap", "Gentoo"], n, p=[0.45, 0.2, 0.35])
    offset = pd.Series(species).map({"Adelie": 0.0, "Chinstrap": 1.0, "Gentoo": 2.0}).to_numpy()
    df = pd.DataFrame(
        {
            "island": rng.choice(["Biscoe", "Dream", "Torgersen"], n),
            "bill_length": 39 + 4.5 * offset + rng.normal(0, 2, n),
            "bill_depth": 18 - 1.2 * offset + rng.normal(0, 1, n),
            "flipper": 190 + 13 * offset + rng.normal(0, 5, n),
            "species": species,
        }
    )
    df.loc[rng.choice(n, 8, replace=False), "bill_depth"] = np.nan
    return df


def preprocess(df):
    ct = ColumnTransformer(
        [
            ("num", make_pipeline(SimpleImputer(), RobustScaler()), ["bill_length", "bill_depth", "flipper"]),
            ("cat", OneHotEncoder(sparse_output=False), ["island"]),
        ]
    )
    X = ct.fit_transform(df).astype(np.float32)
    enc = OrdinalEncoder(dtype=np.int64)
    y = enc.fit_transform(df[["species"]])  # guilty
    return X, y, list(enc.categories_[0])


class Classifier(nn.Module):
    def __init__(self, n_inputs, n_species):
        super().__init__()
        self.linear1 = nn.Linear(n_inputs, 16)
        self.act = nn.SiLU()
        self.linear2 = nn.Linear(16, n_species)

    def forward(self, x):
        return self.linear2(self.act(self.linear1(x)))


def fit(model, dl, epochs, lr=1e-2):
    crit = nn.CrossEntropyLoss(reduction="sum")
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for ep in range(epochs):
        tot = 0.0
        for xb, yb in dl:
            loss = crit(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
        print(ep, tot / len(dl.dataset))


if __name__ == "__main__":
    torch.manual_seed(31)
    X, y, names = preprocess(penguins())
    print("species:", names)
    dl = DataLoader(TensorDataset(torch.from_numpy(X), torch.from_numpy(y)), batch_size=40, shuffle=True)
    fit(Classifier(X.shape[1], len(names)), dl, epochs=5)
