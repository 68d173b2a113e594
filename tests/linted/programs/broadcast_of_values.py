"""LG406: values of states are a column, returns are not."""
import torch
import torch.nn.functional as F
from torch import nn


class Critic(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 64), nn.Tanh())
        self.value = nn.Linear(64, 1)

    def forward(self, state):
        return self.value(self.body(state))


critic = Critic()
states, rewards = torch.randn(32, 4), torch.rand(32)
returns = rewards + 0.99 * critic(states).detach().squeeze(1)
F.smooth_l1_loss(critic(states), returns)  # LG406
