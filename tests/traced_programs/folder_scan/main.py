"""LG201: a stray folder gets a number of its own when the directories are scanned."""

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def find_classes(root):
    classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())  # guilty
    class_to_idx = {name: i for i, name in enumerate(classes)}
    return classes, class_to_idx


def make_dataset(root, class_to_idx):
    instances = []
    for name in sorted(class_to_idx):
        for fname in sorted(os.listdir(os.path.join(root, name))):
            instances.append((os.path.join(root, name, fname), class_to_idx[name]))
    return instances


class Folder(Dataset):
    def __init__(self, root):
        self.classes, self.class_to_idx = find_classes(root)
        self.samples = make_dataset(root, self.class_to_idx)

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, target = self.samples[index]
        image = torch.from_numpy(np.load(path))
        return image, target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--num-classes", type=int, default=3)
    args = parser.parse_args([])
    with tempfile.TemporaryDirectory() as tmp:
        for name in ("cat", "cow", "dog", "zz_thumbnails"):
            (Path(tmp) / name).mkdir()
            for i in range(4):
                np.save(Path(tmp) / name / f"{i}.npy", np.ones(6, dtype=np.float32))
        loader = DataLoader(
            Folder(tmp), batch_size=args.batch_size, num_workers=int(os.environ.get("WORKERS", "0"))
        )
        model = nn.Linear(6, args.num_classes)
        criterion = nn.CrossEntropyLoss()
        for images, target in loader:
            loss = criterion(model(images), target)
            loss.backward()


main()
