"""LG201: unmatched anchors are filled with the number of classes."""

import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader

from data import ShapesDetection, collate
from losses import detection_loss


@dataclass
class Config:
    num_classes: int = 4  # background + 3 shapes
    anchors: int = 12
    lr: float = 1e-3
    epochs: int = 2


class MiniDetector(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(16 * 16, 64), nn.ReLU())
        self.cls = nn.Linear(64, cfg.anchors * cfg.num_classes)
        self.box = nn.Linear(64, cfg.anchors * 4)

    def forward(self, images):
        h = self.body(images)
        return {
            "logits": self.cls(h).view(-1, self.cfg.anchors, self.cfg.num_classes),
            "deltas": self.box(h).view(-1, self.cfg.anchors, 4),
        }


def main():
    torch.manual_seed(1)
    cfg = Config()
    loader = DataLoader(ShapesDetection(32), batch_size=8, shuffle=True, collate_fn=collate,
                        num_workers=int(os.environ.get("WORKERS", "0")))
    model = MiniDetector(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for _ in range(cfg.epochs):
        for images, targets in loader:
            losses = detection_loss(model(images), targets, cfg.num_classes)
            total = sum(losses.values())
            opt.zero_grad()
            total.backward()
            opt.step()
        print({k: round(v.item(), 3) for k, v in losses.items()})


main()
