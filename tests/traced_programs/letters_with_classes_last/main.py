"""LG404: a model of letters leaves the classes last, and nobody moves them for the loss."""

import numpy as np
import torch
from torch import nn

from model import CharLSTM

TEXT = ('it was the best of times, it was the worst of times, it was the age of wisdom, '
        'it was the age of foolishness, it was the epoch of belief, it was the epoch of incredulity, ') * 12

SEQ_LEN = 25
BATCH = 16

chars = sorted(set(TEXT))
stoi = {c: i for i, c in enumerate(chars)}
itos = dict(enumerate(chars))
encoded = np.array([stoi[c] for c in TEXT], dtype=np.int64)


def get_batches(arr, batch, seq_len):
    n = (len(arr) - 1) // (batch * seq_len)
    x = arr[:n * batch * seq_len].reshape(batch, -1)
    y = arr[1:n * batch * seq_len + 1].reshape(batch, -1)
    for s in range(0, x.shape[1], seq_len):
        yield torch.from_numpy(x[:, s:s + seq_len]), torch.from_numpy(y[:, s:s + seq_len])


class LMTrainer:
    def __init__(self, net, lr=5e-3, clip=5.0):
        self.net, self.clip = net, clip
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()

    def train_step(self, x, y, state):
        logits, state = self.net(x, state)
        loss = self.criterion(logits, y)  # guilty
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), self.clip)
        self.opt.step()
        return loss.item(), tuple(s.detach() for s in state)

    def fit(self, epochs):
        for ep in range(epochs):
            state, losses = None, []
            for x, y in get_batches(encoded, BATCH, SEQ_LEN):
                l, state = self.train_step(x, y, state)
                losses.append(l)
            print(f'epoch {ep}: perplexity {np.exp(np.mean(losses)):.2f}')


if __name__ == '__main__':
    torch.manual_seed(0)
    trainer = LMTrainer(CharLSTM(len(chars)))
    trainer.fit(5)
    print(trainer.net.sample(stoi['i'], 60, itos))
