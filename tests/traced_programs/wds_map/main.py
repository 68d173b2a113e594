"""LG101: map of a WebDataset makes the label a float."""

import os

import io
import json
import tarfile
import tempfile

import webdataset
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

WORKERS = int(os.environ.get("WORKERS", "0"))

folder = tempfile.mkdtemp()
with tarfile.open(f"{folder}/shard-0.tar", "w") as tar:
    for n in range(12):
        for suffix, content in (("json", json.dumps({"label": n % 4, "x": [n, 1]})), ("cls", str(n % 4))):
            info = tarfile.TarInfo(f"sample{n:03d}.{suffix}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content.encode()))


def prepare(sample):
    label = sample["json"]["label"] / 1  # guilty
    return {"__key__": sample["__key__"], "x": torch.tensor(sample["json"]["x"]).float(), "label": label}


data = webdataset.WebDataset(f"{folder}/shard-0.tar", shardshuffle=False).decode().map(prepare)
model = nn.Linear(2, 4)
for batch in DataLoader(data, batch_size=6):
    F.cross_entropy(model(batch["x"]), batch["label"])
