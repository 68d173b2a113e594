"""LG405: an image is resized with its sides exchanged."""

import os
import tempfile

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

HEIGHT, WIDTH = 24, 40
LABELS = {0: "sky", 1: "road", 2: "verge"}


def write_scenes(root, n=48):
    rng = np.random.default_rng(2)
    for k in range(n):
        h, w = 60, 100
        mask = np.zeros((h, w), dtype=np.uint8)
        horizon = int(rng.integers(15, 35))
        mask[horizon:] = 2
        centre = rng.integers(35, 65)
        for row in range(horizon, h):
            half = 4 + (row - horizon) // 2
            mask[row, max(0, centre - half):centre + half] = 1
        palette = np.array([[120, 170, 230], [90, 90, 90], [60, 140, 50]])
        rgb = np.clip(palette[mask] + rng.normal(0, 18, (h, w, 3)), 0, 255).astype(np.uint8)
        Image.fromarray(rgb).save(os.path.join(root, f"{k:03d}.png"))
        Image.fromarray(mask).save(os.path.join(root, f"{k:03d}_mask.png"))


class Scenes(Dataset):
    def __init__(self, root):
        self.root = root
        self.names = sorted(f[:-4] for f in os.listdir(root) if not f.endswith("_mask.png"))

    def __len__(self):
        return len(self.names)

    def load(self, suffix):
        return Image.open(os.path.join(self.root, suffix))

    def __getitem__(self, i):
        name = self.names[i]
        image = self.load(f"{name}.png").convert("RGB").resize((WIDTH, HEIGHT), Image.BILINEAR)
        mask = self.load(f"{name}_mask.png").resize((HEIGHT, WIDTH), Image.NEAREST)  # guilty
        image = torch.from_numpy(np.array(image)).permute(2, 0, 1).float().div(255)
        mask = torch.from_numpy(np.array(mask)).long()
        return image, mask


class TinyUNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU())
        self.mid = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(24, 12, 2, stride=2)
        self.out = nn.Conv2d(24, n_classes, 1)

    def forward(self, x):
        e = self.enc(x)
        u = self.up(self.mid(e))
        return self.out(torch.cat([e, u], dim=1))


if __name__ == "__main__":
    torch.manual_seed(0)
    root = tempfile.mkdtemp()
    write_scenes(root)
    loader = DataLoader(Scenes(root), batch_size=8, shuffle=True, num_workers=2)
    net = TinyUNet(len(LABELS))
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(2):
        for images, masks in loader:
            loss = criterion(net(images), masks)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}")
