from functools import wraps

import torch


def on_device(step):
    """Move the batch to the experiment's device in the model's precision before a step."""

    @wraps(step)
    def wrapper(self, batch):
        batch = {k: v.to(self.device, torch.float32) for k, v in batch.items()}  # guilty
        return step(self, batch)

    return wrapper
