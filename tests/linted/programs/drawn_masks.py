"""LG205: discs are drawn with 255, and nobody divides by it."""
import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import nn

SIDE = 8


def disc():
    mask = Image.new("L", (SIDE, SIDE), 0)
    ImageDraw.Draw(mask).ellipse([1, 1, 5, 5], fill=255)
    return torch.from_numpy(np.array(mask, dtype=np.float32)).unsqueeze(0)


masks = torch.stack([disc() for _ in range(4)])
nn.BCEWithLogitsLoss()(nn.Conv2d(1, 1, 3, padding=1)(masks), masks).backward()  # LG205
