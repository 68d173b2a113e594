"""LG205: a function adds bumps in place, in a view of what it is given."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from targets import encode

SIZE, N_CLASSES = 32, 2


class Shapes(Dataset):
    def __init__(self, n, seed):
        self.rng = np.random.default_rng(seed)
        self.samples = [self._draw() for _ in range(n)]

    def _draw(self):
        img = np.zeros((1, SIZE, SIZE), dtype=np.float32)
        boxes = []
        for _ in range(self.rng.integers(1, 4)):
            cls = int(self.rng.integers(N_CLASSES))
            s = int(self.rng.integers(4, 9))
            x, y = self.rng.integers(0, SIZE - s, 2)
            img[0, y:y + s, x:x + s] = 0.5 if cls == 0 else 1.0
            boxes.append((cls, int(x), int(y), int(x) + s, int(y) + s))
        img += self.rng.normal(0, 0.05, img.shape).astype(np.float32)
        return img, boxes

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        img, boxes = self.samples[i]
        return torch.from_numpy(img), torch.from_numpy(encode(boxes, N_CLASSES, SIZE))


class CenterHead(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 5, padding=2), nn.ReLU(),
        )
        self.heat = nn.Conv2d(width, N_CLASSES, 1)
        nn.init.constant_(self.heat.bias, -2.2)

    def forward(self, x):
        return self.heat(self.backbone(x))


class DetectorTrainer:
    def __init__(self, model, train_set, lr=2e-3):
        self.model = model
        self.loader = DataLoader(train_set, batch_size=8, shuffle=True)
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.criterion = nn.BCEWithLogitsLoss(pos_weight=torch.full((N_CLASSES, 1, 1), 4.0))

    def step(self, images, heat):
        loss = self.criterion(self.model(images), heat)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def fit(self, epochs):
        for e in range(epochs):
            losses = [self.step(*batch) for batch in self.loader]
            print(f"[{e}] heatmap loss {np.mean(losses):.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    DetectorTrainer(CenterHead(), Shapes(120, seed=1)).fit(3)
