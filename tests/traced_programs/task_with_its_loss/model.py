from torch import nn


class TabularNet(nn.Module):
    def __init__(self, n_features, n_outputs):
        super().__init__()
        self.norm = nn.BatchNorm1d(n_features)
        self.hidden = nn.Sequential(nn.Linear(n_features, 32), nn.ReLU(), nn.Dropout(0.1))
        self.out = nn.Linear(32, n_outputs)
        self.n_outputs = n_outputs

    def forward(self, x):
        y = self.out(self.hidden(self.norm(x)))
        return y.squeeze(-1) if self.n_outputs == 1 else y
