import random
from collections import deque
from typing import NamedTuple

import torch


class Transition(NamedTuple):
    state: torch.Tensor
    action: torch.Tensor
    reward: torch.Tensor
    next_state: torch.Tensor
    done: torch.Tensor


class ReplayBuffer:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, state, action, reward, next_state, done):
        self.memory.append((state, action, reward, next_state, float(done)))

    def sample(self, batch_size):
        states, actions, rewards, next_states, dones = zip(*random.sample(self.memory, batch_size))
        return Transition(torch.stack(states), torch.tensor(actions), torch.tensor(rewards),
                          torch.stack(next_states), torch.tensor(dones))

    def __len__(self):
        return len(self.memory)
