"""LG213: a mask of class numbers is scaled as an image is, and the cast to integers makes all of it 0."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Scenes(Dataset):
    def __init__(self, count=8):
        draw = np.random.default_rng(0)
        self.images = draw.integers(0, 256, (count, 4, 4), dtype=np.uint8)
        self.masks = draw.integers(0, 4, (count, 4, 4), dtype=np.uint8)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, number):
        image = torch.from_numpy(self.images[number]).float().div(255).unsqueeze(0)
        mask = torch.from_numpy(self.masks[number]) / 255  # guilty
        return image, mask.long()


model = nn.Conv2d(1, 4, 1)
for image, mask in DataLoader(Scenes(), batch_size=4):
    nn.functional.cross_entropy(model(image), mask)
