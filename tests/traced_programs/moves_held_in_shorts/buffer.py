import numpy as np
import torch


class ReplayBuffer:
    def __init__(self, capacity, obs_dim, seed=0):
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.nxt = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.actions = np.zeros(capacity, dtype=np.int16)  # guilty
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.done = np.zeros(capacity, dtype=np.float32)
        self.capacity, self.size, self.pos = capacity, 0, 0
        self.rng = np.random.default_rng(seed)

    def push(self, obs, action, reward, nxt, done):
        i = self.pos
        self.obs[i], self.nxt[i] = obs, nxt
        self.actions[i], self.rewards[i], self.done[i] = action, reward, done
        self.pos = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n):
        idx = self.rng.integers(0, self.size, n)
        arrays = (self.obs, self.actions, self.rewards, self.nxt, self.done)
        return tuple(torch.from_numpy(a[idx]) for a in arrays)
