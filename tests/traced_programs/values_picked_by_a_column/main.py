"""LG406: values picked by a column of actions stay a column."""

import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.optim as optim

SEED = 9
random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)

Step = namedtuple("Step", "state action reward next_state done")
GAMMA, BATCH, LENGTH = 0.95, 32, 7


class Corridor:
    def reset(self):
        self.pos, self.t = LENGTH // 2, 0
        return self.observe()

    def observe(self):
        x = torch.zeros(LENGTH)
        x[self.pos] = 1.0
        return x

    def step(self, action):
        self.pos += 1 if action == 1 else -1
        self.t += 1
        if self.pos == LENGTH - 1:
            return self.observe(), 1.0, True
        if self.pos == 0:
            return self.observe(), -1.0, True
        return self.observe(), -0.02, self.t >= 20


class ReplayMemory:
    def __init__(self, size):
        self.buffer = deque(maxlen=size)

    def push(self, *args):
        self.buffer.append(Step(*args))

    def sample(self, n):
        batch = Step(*zip(*random.sample(self.buffer, n)))
        states = torch.stack(batch.state)
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards = torch.tensor(batch.reward)
        next_states = torch.stack(batch.next_state)
        done = torch.tensor(batch.done, dtype=torch.float32)
        return states, actions, rewards, next_states, done


def make_net():
    return nn.Sequential(nn.Linear(LENGTH, 32), nn.ReLU(), nn.Linear(32, 2))


policy, target_net = make_net(), make_net()
target_net.load_state_dict(policy.state_dict())
optimizer = optim.Adam(policy.parameters(), lr=5e-3)
criterion = nn.SmoothL1Loss()
memory = ReplayMemory(2000)


def learn():
    states, actions, rewards, next_states, done = memory.sample(BATCH)
    q_values = policy(states).gather(1, actions)  # guilty
    with torch.no_grad():
        next_q = target_net(next_states).max(1).values
        expected = rewards + GAMMA * next_q * (1 - done)
    loss = criterion(q_values, expected)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


env, epsilon, scores, losses = Corridor(), 1.0, [], []
for episode in range(30):
    state, total, over = env.reset(), 0.0, False
    while not over:
        if random.random() < epsilon:
            action = random.randrange(2)
        else:
            with torch.no_grad():
                action = policy(state).argmax().item()
        nxt, reward, over = env.step(action)
        memory.push(state, action, reward, nxt, over)
        state, total = nxt, total + reward
        if len(memory.buffer) >= BATCH:
            losses.append(learn())
    epsilon = max(0.05, epsilon * 0.93)
    scores.append(total)
    if episode % 5 == 4:
        target_net.load_state_dict(policy.state_dict())
    if episode % 10 == 9:
        print(f"episode {episode + 1}: mean score {sum(scores[-10:]) / 10:.2f}, loss {sum(losses[-50:]) / max(1, len(losses[-50:])):.4f}")
