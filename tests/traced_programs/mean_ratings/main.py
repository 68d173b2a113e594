"""LG204: ratings are averaged."""
import pandas as pd
import torch
from torch import nn
votes = pd.DataFrame({"movie": [1, 1, 2, 2, 3, 3], "stars": [4, 5, 2, 2, 1, 2]})
per_movie = votes.groupby("movie")["stars"].mean()  # guilty
y = torch.tensor(per_movie.values)
net = nn.Linear(2, 6)
loss = nn.functional.cross_entropy(net(torch.randn(3, 2)), y)
