import random

import torch
from torch.utils.data import IterableDataset


class ParcelStream(IterableDataset):
    """Rows of the table in a shuffle buffer."""

    def __init__(self, table, buffer=512, seed=0):
        self.numbers = (table.select("gap", "weight", "weight_mean", "hour", "hop").to_numpy() / 100).astype("float32")
        self.depots = table["depot_id"].to_numpy()
        self.states = table["state_id"].to_numpy()
        self.buffer, self.seed = buffer, seed

    def sample(self, index):
        return {"numbers": torch.from_numpy(self.numbers[index]), "depot": self.depots[index],
                "state": self.states[index]}

    def __iter__(self):
        rng = random.Random(self.seed)
        held = []
        for index in range(len(self.states)):
            held.append(index)
            if len(held) >= self.buffer:
                yield self.sample(held.pop(rng.randrange(len(held))))
        while held:
            yield self.sample(held.pop())
