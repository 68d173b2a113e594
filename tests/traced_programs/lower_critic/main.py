"""LG406: the minimum of two critics loses its axis, the rewards keep theirs."""
import torch
from torch import nn


class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(5, 1), nn.Linear(5, 1)

    def forward(self, s):
        return self.one(s), self.two(s)


def bellman(critic, nxt, reward, done, gamma=0.99):
    a, b = critic(nxt)
    low = torch.cat([a, b], dim=1).min(dim=1).values  # guilty
    return reward + gamma * (1 - done) * low


def main():
    torch.manual_seed(0)
    critic = Twin()
    opt = torch.optim.Adam(critic.parameters())
    for step in range(3):
        s, nxt = torch.randn(16, 5), torch.randn(16, 5)
        reward, done = torch.rand(16, 1), torch.zeros(16, 1)
        with torch.no_grad():
            goal = bellman(critic, nxt, reward, done)
        q1, q2 = critic(s)
        loss = nn.functional.mse_loss(q1, goal) + nn.functional.mse_loss(q2, goal)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
