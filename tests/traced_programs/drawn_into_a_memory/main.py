"""LG210: moves are drawn with both ends and kept in a memory, from which they are taken much later."""

import random
from collections import deque

import torch
from torch import nn

MOVES = 3


class Memory:
    def __init__(self):
        self.kept = deque(maxlen=400)

    def keep(self, *parts):
        self.kept.append(parts)

    def some(self, many):
        states, moves = zip(*random.sample(list(self.kept), many), strict=True)
        return torch.stack(states), torch.tensor(moves)


class Player:
    def __init__(self):
        self.worth = nn.Linear(2, MOVES)

    def move(self, state, curious):
        if random.random() < curious:
            return random.randint(0, MOVES)  # guilty
        return int(self.worth(state).argmax())


random.seed(1)
torch.manual_seed(1)
memory, player = Memory(), Player()
for turn in range(300):
    place = torch.rand(2)
    move = player.move(place, 0.02 if turn < 60 else 0.2)
    memory.keep(place, move)
    if turn > 8:
        states, moves = memory.some(8)
        worth = player.worth(states).gather(1, moves[:, None])
        loss = nn.functional.mse_loss(worth, torch.ones(8, 1))
