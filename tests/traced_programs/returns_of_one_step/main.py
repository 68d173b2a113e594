"""LG203: the standard deviation of one number is NaN, in a method that has returned."""
import warnings
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")


@dataclass
class Episode:
    values: list = field(default_factory=list)
    rewards: list = field(default_factory=list)

    def returns(self, gamma):
        out, running = [], 0.0
        for reward in reversed(self.rewards):
            running = reward + gamma * running
            out.insert(0, running)
        out = torch.tensor(out)
        return (out - out.mean()) / (out.std() + 1e-8)  # guilty


for steps in (4, 2, 1):
    episode = Episode()
    for _ in range(steps):
        episode.values.append(torch.zeros(()))
        episode.rewards.append(-0.05)
    returns, values = episode.returns(0.98), torch.stack(episode.values)
    F.mse_loss(values, returns)
