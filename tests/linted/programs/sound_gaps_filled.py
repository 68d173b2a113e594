"""sound: what diff leaves empty is dropped before the cast."""
import pandas as pd
import torch
from torch import nn

frame = pd.DataFrame({"level": [1, 2, 3, 4, 5, 6], "x": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
frame["step"] = frame["level"].diff()
frame = frame.dropna()
x = torch.tensor(frame["x"].to_numpy(), dtype=torch.float32).unsqueeze(1)
y = torch.tensor(frame["step"].to_numpy()).long()
nn.CrossEntropyLoss()(nn.Linear(1, 3)(x), y)
