"""LG210: a setting names fewer moves than the world draws from."""

import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

from env import GridWorld

Transition = namedtuple('Transition', 's a r s2 d')

config = {
    'hidden': 32,
    'n_actions': 4,  # guilty
    'gamma': 0.95,
    'lr': 1e-3,
    'batch': 32,
    'buffer': 2000,
    'episodes': 15,
}


class QNet(nn.Module):
    def __init__(self, n_obs, n_act, hidden):
        super().__init__()
        self.fc1 = nn.Linear(n_obs, hidden)
        self.fc2 = nn.Linear(hidden, n_act)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class Agent:
    def __init__(self, cfg):
        self.cfg = cfg
        self.q = QNet(2, cfg['n_actions'], cfg['hidden'])
        self.target = QNet(2, cfg['n_actions'], cfg['hidden'])
        self.target.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=cfg['lr'])
        self.memory = deque(maxlen=cfg['buffer'])

    def act(self, env, s, eps):
        if random.random() < eps:
            return env.sample_action()
        with torch.no_grad():
            return self.q(torch.tensor(s)).argmax().item()

    def learn(self):
        if len(self.memory) < self.cfg['batch']:
            return None
        batch = Transition(*zip(*random.sample(self.memory, self.cfg['batch'])))
        s, s2 = torch.tensor(batch.s), torch.tensor(batch.s2)
        a = torch.tensor(batch.a).unsqueeze(1)
        r, d = torch.tensor(batch.r), torch.tensor(batch.d, dtype=torch.float32)
        q = self.q(s).gather(1, a).squeeze(1)
        with torch.no_grad():
            y = r + self.cfg['gamma'] * (1 - d) * self.target(s2).max(1).values
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


if __name__ == '__main__':
    random.seed(0)
    torch.manual_seed(0)
    env, agent = GridWorld(), Agent(config)
    for ep in range(config['episodes']):
        s, done, ret = env.reset(), False, 0.0
        while not done:
            a = agent.act(env, s, eps=max(0.1, 1 - ep / 10))
            s2, r, done = env.step(a)
            agent.memory.append(Transition(s, a, r, s2, done))
            agent.learn()
            s, ret = s2, ret + r
        print(f'episode {ep} return {ret:.2f}')
