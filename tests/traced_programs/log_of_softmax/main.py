"""LG207: a log of a softmax that has underflowed."""

import torch
import torch.nn.functional as F
from torch import nn


class Policy(nn.Module):
    def __init__(self, obs=3, actions=4, temperature=0.001):
        super().__init__()
        self.body = nn.Linear(obs, actions)
        self.temperature = temperature

    def forward(self, obs):
        logits = self.body(obs) / self.temperature
        return torch.softmax(logits, dim=-1)


def update(policy, obs, actions, advantage):
    probs = policy(obs)
    log_probs = torch.log(probs)  # guilty
    losses = F.nll_loss(log_probs, actions, reduction="none")
    return (losses * advantage).mean()


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters())
for step in range(3):
    obs = torch.randn(16, 3) * 5
    actions = torch.randint(0, 4, (16,))
    update(policy, obs, actions, torch.ones(16)).backward()
