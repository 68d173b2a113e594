import glob
import os

import numpy as np
import torch


def write_shards(folder, text, stoi, shard_len=2000):
    ids = np.array([stoi[c] for c in text])
    for k, start in enumerate(range(0, len(ids), shard_len)):
        ids[start:start + shard_len].astype(np.int32).tofile(os.path.join(folder, f"shard_{k:03d}.bin"))  # guilty


class ShardReader:
    def __init__(self, folder, block, batch_size, seed=0):
        self.files = sorted(glob.glob(os.path.join(folder, "*.bin")))
        self.block, self.batch_size = block, batch_size
        self.rng = np.random.default_rng(seed)

    def next_batch(self):
        tokens = np.memmap(self.rng.choice(self.files), dtype=np.int32, mode="r")
        starts = self.rng.integers(0, len(tokens) - self.block - 1, size=self.batch_size)
        window = np.stack([tokens[s:s + self.block + 1] for s in starts])
        window = torch.from_numpy(window)
        return window[:, :-1].contiguous(), window[:, 1:].contiguous()
