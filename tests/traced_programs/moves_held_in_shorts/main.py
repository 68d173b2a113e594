"""LG107: moves are held in an array of int16, and the table is the result of a model."""

import random
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from buffer import ReplayBuffer
from envs import CorridorEnv
from nets import QNetwork


@dataclass
class DQNConfig:
    steps: int = 1500
    warmup: int = 200
    batch: int = 64
    gamma: float = 0.97
    lr: float = 2e-3
    sync_every: int = 100


class Agent:
    def __init__(self, env, cfg):
        self.env, self.cfg = env, cfg
        self.online = QNetwork(env.obs_dim, env.n_actions)
        self.target = QNetwork(env.obs_dim, env.n_actions)
        self.target.load_state_dict(self.online.state_dict())
        self.memory = ReplayBuffer(5000, env.obs_dim)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=cfg.lr)

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.env.n_actions)
        with torch.no_grad():
            return int(self.online(torch.from_numpy(obs)[None]).argmax())

    def learn(self):
        obs, actions, rewards, nxt, done = self.memory.sample(self.cfg.batch)
        q = self.online(obs).gather(1, actions.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.target(nxt).max(1).values
            goal = rewards + self.cfg.gamma * best * (1 - done)
        loss = F.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def run(self):
        obs, last = self.env.reset(), 0.0
        for step in range(self.cfg.steps):
            action = self.act(obs, eps=max(0.1, 1 - step / 800))
            nxt, reward, done = self.env.step(action)
            self.memory.push(obs, action, reward, nxt, done)
            obs = self.env.reset() if done else nxt
            if step >= self.cfg.warmup:
                last = self.learn()
            if step % self.cfg.sync_every == 0:
                self.target.load_state_dict(self.online.state_dict())
                print(f"step {step} td {last:.4f}")


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    Agent(CorridorEnv(), DQNConfig()).run()
