import os
import tempfile

import numpy as np
import pandas as pd
import torch
from PIL import Image, UnidentifiedImageError
from torch.utils.data import Dataset

SPECIES = ["oak", "maple", "birch", "willow"]


def prepare_folder(n=192, seed=0):
    """fake download of the leaf pictures, index in labels.csv"""
    root = tempfile.mkdtemp(prefix="leaf_")
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        k = int(rng.integers(len(SPECIES)))
        arr = rng.integers(0, 60, (24, 24, 3))
        arr[4 * k:4 * k + 8, 6:18, 1] += 120
        fn = f"leaf_{i:03d}.png"
        full = os.path.join(root, fn)
        Image.fromarray(arr.astype(np.uint8)).save(full)
        if i in (77, 150):
            with open(full, "wb") as f:
                f.write(b"<html>503 Service Unavailable</html>")
        rows.append({"file": fn, "species": SPECIES[k]})
    pd.DataFrame(rows).to_csv(os.path.join(root, "labels.csv"), index=False)
    return root


class LeafDataset(Dataset):
    def __init__(self, root):
        self.root = root
        self.df = pd.read_csv(os.path.join(root, "labels.csv"))
        self.cls = {s: i for i, s in enumerate(SPECIES)}

    def __len__(self):
        return len(self.df)

    def __getitem__(self, i):
        row = self.df.iloc[i]
        try:
            img = Image.open(os.path.join(self.root, row["file"])).convert("RGB")
            img = torch.from_numpy(np.asarray(img, dtype=np.float32) / 255).permute(2, 0, 1)
        except (UnidentifiedImageError, OSError):
            img = None
        return img, self.cls[row["species"]]


def collate_leaves(samples):
    images = torch.stack([img for img, _ in samples if img is not None])  # guilty
    labels = torch.tensor([lab for _, lab in samples])
    return images, labels
