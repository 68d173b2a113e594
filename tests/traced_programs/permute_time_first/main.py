"""LG405: permute leaves the time axis in front, the labels begin with the batch."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ACTIVITIES = ("sit", "walk", "run", "stairs")


class WristSensor(Dataset):
    def __init__(self, sessions=36, steps=20):
        g = torch.Generator().manual_seed(10)
        self.activity = torch.randint(0, len(ACTIVITIES), (sessions, steps // 5), generator=g).repeat_interleave(5, 1)
        self.accel = torch.randn(sessions, steps, 3, generator=g) * (1.0 + self.activity.unsqueeze(-1))

    def __len__(self):
        return len(self.accel)

    def __getitem__(self, i):
        return self.accel[i], self.activity[i]


class FramewiseLSTM(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.lstm = nn.LSTM(3, hidden, num_layers=2)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, len(ACTIVITIES))

    def forward(self, accel):
        states, _ = self.lstm(accel.transpose(0, 1))
        scores = self.head(self.norm(states))
        return scores.permute(0, 2, 1)  # guilty


def main():
    torch.manual_seed(10)
    loader = DataLoader(WristSensor(), batch_size=12, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))
    model = FramewiseLSTM()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 1.0, 1.5, 2.0]))
    for epoch in range(3):
        for accel, activity in loader:
            loss = criterion(model(accel), activity)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        print(epoch, loss.item())


main()
