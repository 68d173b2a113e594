"""LG406: a reward and a column of values are added, each with each."""
import copy
import itertools
import random

import torch
import torch.nn.functional as F
from torch import nn

from replay import ReplayBuffer


class Corridor:
    length = 6

    def reset(self):
        self.pos = 1
        return self.observe()

    def observe(self):
        return F.one_hot(torch.tensor(self.pos), self.length).float()

    def step(self, action):
        self.pos += 1 if action == 1 else -1
        done = self.pos in (0, self.length - 1)
        return self.observe(), (1.0 if self.pos == self.length - 1 else -0.1), done


class DQNAgent:
    def __init__(self, gamma=0.95):
        self.gamma = gamma
        self.q = nn.Sequential(nn.Linear(Corridor.length, 32), nn.ReLU(), nn.Linear(32, 2))
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-2)

    def act(self, state, eps):
        if random.random() < eps:
            return random.randrange(2)
        return self.q(state).argmax().item()

    def learn(self, batch):
        q = self.q(batch.state).gather(1, batch.action.unsqueeze(1))
        with torch.no_grad():
            next_q = self.target(batch.next_state).max(dim=1, keepdim=True).values
            expected = batch.reward + self.gamma * next_q * (1 - batch.done)  # guilty
        loss = F.smooth_l1_loss(q, expected)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


torch.manual_seed(0)
random.seed(0)
env, agent, buffer = Corridor(), DQNAgent(), ReplayBuffer(500)
for episode in range(25):
    state = env.reset()
    for t in itertools.count():
        action = agent.act(state, eps=0.3)
        next_state, reward, done = env.step(action)
        buffer.push(state, action, reward, next_state, done)
        state = next_state
        loss = agent.learn(buffer.sample(16)) if len(buffer) >= 16 else None
        if done or t > 30:
            break
print("last loss", loss)
