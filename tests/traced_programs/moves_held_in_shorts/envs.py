import numpy as np


class CorridorEnv:
    obs_dim = 3
    n_actions = 3

    def __init__(self, length=12, seed=1):
        self.length = length
        self.rng = np.random.default_rng(seed)

    def _obs(self):
        return np.array([self.x / self.length, self.goal / self.length, self.t / 40], dtype=np.float32)

    def reset(self):
        self.x, self.t = 0, 0
        self.goal = int(self.rng.integers(3, self.length))
        return self._obs()

    def step(self, action):
        self.x = int(np.clip(self.x + (action - 1), 0, self.length))
        self.t += 1
        hit = self.x == self.goal
        return self._obs(), 1.0 if hit else -0.02, float(hit or self.t >= 40)
