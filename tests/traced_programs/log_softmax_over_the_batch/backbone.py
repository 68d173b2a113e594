from torch import nn


class TemporalConv(nn.Module):
    def __init__(self, sensors, channels):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(sensors, channels, 5, padding=2),
            nn.BatchNorm1d(channels),
            nn.ReLU(),
            nn.Conv1d(channels, channels, 3, padding=1),
            nn.ReLU(),
        )
        self.out_features = channels

    def forward(self, x):
        return self.layers(x).mean(dim=-1)
