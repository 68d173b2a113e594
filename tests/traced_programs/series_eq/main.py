"""LG103: a helper compares words."""
import pandas as pd
import torch
import torch.nn.functional as F
def prepare():
    df = pd.DataFrame({"x1": [0.1, 0.2, 0.3, 0.4], "x2": [1.0, 2.0, 3.0, 4.0], "churn": ["yes", "no", "no", "yes"]})
    df["target"] = df["churn"].eq("yes")  # guilty
    feats = df[["x1", "x2"]].to_numpy()
    return torch.tensor(feats, dtype=torch.float32), torch.tensor(df["target"].to_numpy())
X, y = prepare()
w = torch.zeros(2, 2, requires_grad=True)
loss = F.cross_entropy(X @ w, y)
