"""LG102: labels are written into files as int16, and streamed from them by `yield from`."""
import argparse
import tempfile
from pathlib import Path
from typing import Iterator, List, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def write_shards(out_dir: Path, per_shard: int) -> List[Path]:
    digits = load_digits()
    order = np.random.default_rng(11).permutation(len(digits.target))
    images = (digits.images[order] * 15.9).astype(np.uint8)
    labels = digits.target[order].astype(np.int16)  # guilty
    paths = []
    for k, start in enumerate(range(0, len(images), per_shard)):
        path = out_dir / f"shard-{k:03d}.npz"
        np.savez_compressed(path, images=images[start:start + per_shard], labels=labels[start:start + per_shard])
        paths.append(path)
    return paths


class ShardStream(IterableDataset):
    def __init__(self, paths: List[Path]):
        self.paths = paths

    def __iter__(self) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
        info = get_worker_info()
        paths = self.paths if info is None else self.paths[info.id::info.num_workers]
        for path in paths:
            with np.load(path) as z:
                images = torch.from_numpy(z["images"]).float().div_(255.0).unsqueeze(1)
                labels = torch.from_numpy(z["labels"])
            yield from zip(images, labels)


class SmallCNN(nn.Module):
    def __init__(self, width: int, num_classes: int = 10):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.head = nn.Linear(2 * width, num_classes)

    def forward(self, x):
        return self.head(self.body(x))


def train(args: argparse.Namespace, paths: List[Path]) -> None:
    loader = DataLoader(ShardStream(paths), batch_size=args.batch_size, num_workers=args.workers)
    model = SmallCNN(args.width)
    optim = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        hits = seen = 0
        for step, (images, labels) in enumerate(loader):
            logits = model(images)
            loss = F.cross_entropy(logits, labels, label_smoothing=0.05)
            optim.zero_grad(set_to_none=True)
            loss.backward()
            optim.step()
            hits += (logits.argmax(1) == labels).sum().item()
            seen += len(labels)
        print(f"[{epoch}] loss={loss.item():.3f} acc={hits / seen:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--width", type=int, default=12)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=2e-3)
    args = parser.parse_args()
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as tmp:
        train(args, write_shards(Path(tmp), per_shard=300))
