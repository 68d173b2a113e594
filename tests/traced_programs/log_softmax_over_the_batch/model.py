from torch import nn

from backbone import TemporalConv
from heads import Head


class GestureNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.backbone = TemporalConv(cfg.sensors, cfg.channels)
        self.head = Head(self.backbone.out_features, cfg.gestures, cfg.output)

    def forward(self, x):
        return self.head(self.backbone(x))
