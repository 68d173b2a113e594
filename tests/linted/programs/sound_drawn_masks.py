"""sound: discs are drawn with 255 and divided by it, or drawn with 1."""
import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import nn


def disc(fill, side=8):
    mask = Image.new("L", (side, side))
    ImageDraw.Draw(mask).rectangle([1, 1, 5, 5], fill=fill)
    return torch.from_numpy(np.array(mask, dtype=np.float32)).unsqueeze(0)


net = nn.Conv2d(1, 1, 3, padding=1)
bright = torch.stack([disc(255) for _ in range(4)]) / 255
nn.BCEWithLogitsLoss()(net(bright), bright).backward()
dark = torch.stack([disc(1) for _ in range(4)])
nn.BCEWithLogitsLoss()(net(dark), dark).backward()
