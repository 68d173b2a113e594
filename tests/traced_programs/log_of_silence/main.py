"""LG207: a logarithm of zero in a dataset goes through a recurrent layer."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from commands import WORDS, SpokenCommands


class KeywordNet(nn.Module):
    def __init__(self, bands=16, classes=3):
        super().__init__()
        self.rnn = nn.GRU(bands, 24, batch_first=True)
        self.out = nn.Linear(24, classes)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.out(h[-1])


def run(epochs=2):
    torch.manual_seed(19)
    torch.set_num_threads(1)
    loader = DataLoader(SpokenCommands(240), batch_size=16, shuffle=True, num_workers=2)
    net = KeywordNet(classes=len(WORDS))
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    for epoch in range(epochs):
        history = []
        for features, labels in loader:
            loss = loss_fn(net(features), labels)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            history.append(loss.item())
        print(f"epoch {epoch}: first {history[0]:.3f} last {history[-1]:.3f}")


if __name__ == "__main__":
    run()
