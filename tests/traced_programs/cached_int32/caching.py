import functools

import numpy as np
import torch


def cached_item(method):
    """Compute an item once and keep it as compact tensors."""

    @functools.wraps(method)
    def wrapper(self, index):
        if index not in self._cache:
            item = method(self, index)
            self._cache[index] = {key: pack(value) for key, value in item.items()}
        return self._cache[index]

    return wrapper


def pack(value):
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return torch.from_numpy(array.astype(np.float32))
    return torch.from_numpy(array.astype(np.int32))  # guilty
