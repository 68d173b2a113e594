"""LG106: a buffer for scores is made in the likeness of labels."""

import torch
import torch.nn.functional as F
from torch import nn

from evaluator import evaluate

GENRES = ["rock", "jazz", "folk", "techno"]
N_MELS, FRAMES = 24, 40


def synth_mels(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, len(GENRES), (n,), generator=g)
    beat = torch.tensor([4, 7, 10, 2])[y]
    t = torch.arange(FRAMES)
    pulse = (t[None] % beat[:, None] == 0).float()
    tilt = torch.linspace(1, 0.2, N_MELS)[None, :, None] ** (1 + y[:, None, None].float())
    x = pulse[:, None, :] * tilt + 0.2 * torch.randn(n, N_MELS, FRAMES, generator=g)
    return x, y


class GenreNet(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.conv1 = nn.Conv1d(N_MELS, width, 5, padding=2)
        self.norm = nn.GroupNorm(4, width)
        self.conv2 = nn.Conv1d(width, width, 5, stride=2, padding=2)
        self.head = nn.Linear(width * 2, len(GENRES))

    def forward(self, x):
        x = F.relu(self.norm(self.conv1(x)))
        x = F.relu(self.conv2(x))
        return self.head(torch.cat([x.mean(-1), x.amax(-1)], dim=1))


def train(epochs=3, batch=32):
    torch.manual_seed(0)
    xt, yt = synth_mels(320, 0)
    val = synth_mels(100, 1)
    model = GenreNet()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 5e-3, total_steps=epochs * 10)
    for epoch in range(epochs):
        model.train()
        for idx in torch.randperm(len(xt)).split(batch):
            loss = F.cross_entropy(model(xt[idx]), yt[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        print(f"epoch {epoch} train {loss.item():.4f}")
    print(evaluate(model, val, len(GENRES)))


if __name__ == "__main__":
    train()
