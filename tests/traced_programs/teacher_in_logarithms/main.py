"""LG304: a teacher stores logarithms in a file."""
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset

from teacher import fit_teacher, store_soft_targets

CONFIG = {"temperature": 3.0, "alpha": 0.7, "batch_size": 64, "epochs": 3, "lr": 5e-3, "n_classes": 10}


class DistillDataset(Dataset):
    def __init__(self, x, y, soft_path):
        self.x, self.y = x, y
        self.soft = torch.from_numpy(np.load(soft_path))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.y[i], "soft": self.soft[i]}


def distill_loss(student_logits, batch, cfg):
    t = cfg["temperature"]
    hard = F.cross_entropy(student_logits, batch["y"])
    log_student = F.log_softmax(student_logits / t, dim=1)
    soft = F.kl_div(log_student, batch["soft"], reduction="batchmean") * t * t
    return cfg["alpha"] * soft + (1 - cfg["alpha"]) * hard


def main(cfg):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    digits = load_digits()
    x = torch.tensor(digits.data / 16.0, dtype=torch.float32)[:600]
    y = torch.tensor(digits.target)[:600].long()

    path = os.path.join(tempfile.mkdtemp(), "soft_targets.npy")
    teacher = fit_teacher(x, y, cfg["n_classes"])
    store_soft_targets(teacher, x, path, cfg["temperature"])

    loader = DataLoader(DistillDataset(x, y, path), batch_size=cfg["batch_size"], shuffle=True)
    student = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, cfg["n_classes"]))
    optimizer = torch.optim.Adam(student.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        total = 0.0
        for batch in loader:
            loss = distill_loss(student(batch["x"]), batch, cfg)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        acc = (student(x).argmax(1) == y).float().mean().item()
        print(f"epoch {epoch}: loss {total / len(loader):.4f} acc {acc:.3f}")


if __name__ == "__main__":
    main(CONFIG)
