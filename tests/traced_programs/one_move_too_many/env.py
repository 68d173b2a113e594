import random


class GridWorld:
    """5x5 grid, start in a corner, goal in the opposite one."""

    MOVES = {'up': (-1, 0), 'down': (1, 0), 'left': (0, -1), 'right': (0, 1), 'stay': (0, 0)}

    def __init__(self, size=5):
        self.size = size
        self.names = list(self.MOVES)

    def reset(self):
        self.pos, self.t = (0, 0), 0
        return self.obs()

    def obs(self):
        return [self.pos[0] / self.size, self.pos[1] / self.size]

    def sample_action(self):
        return random.randrange(len(self.names))

    def step(self, a):
        dr, dc = self.MOVES[self.names[a]]
        r = min(max(self.pos[0] + dr, 0), self.size - 1)
        c = min(max(self.pos[1] + dc, 0), self.size - 1)
        self.pos, self.t = (r, c), self.t + 1
        done = self.pos == (self.size - 1, self.size - 1) or self.t >= 40
        return self.obs(), 1.0 if done and self.t < 40 else -0.01, done
