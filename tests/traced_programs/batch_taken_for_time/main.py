"""LG403: a recurrent layer takes the batch for time, and the last state is used."""

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

GESTURES = ("circle", "swipe", "shake", "still")


class AccelDataset(Dataset):
    """Accelerometer traces of shape (time, xyz)."""

    def __init__(self, n, steps=30, seed=0):
        rng = np.random.default_rng(seed)
        t = np.linspace(0, 2 * np.pi, steps)
        self.items = []
        for i in range(n):
            g = i % len(GESTURES)
            tr = 0.2 * rng.standard_normal((steps, 3))
            if g == 0:
                tr[:, 0] += np.sin(t)
                tr[:, 1] += np.cos(t)
            elif g == 1:
                tr[:, 0] += np.linspace(-1, 1, steps)
            elif g == 2:
                tr[:, 2] += np.sin(8 * t)
            self.items.append((torch.tensor(tr, dtype=torch.float32), g))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class GestureLSTM(nn.Module):
    def __init__(self, hidden=24, layers=2):
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.lstm = nn.LSTM(3, hidden, num_layers=layers)  # guilty
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(hidden, len(GESTURES))

    def forward(self, x):
        _, (h, _) = self.lstm(self.norm(x))
        return self.fc(self.drop(h[-1]))


def epoch_loop(model, loader, criterion, optimizer):
    correct = total = 0
    for trace, gesture in loader:
        logits = model(trace)
        loss = criterion(logits, gesture)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (logits.argmax(1) == gesture).sum().item()
        total += len(gesture)
    return loss.item(), correct / total


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(AccelDataset(240), batch_size=16, shuffle=True, drop_last=True)
    model = GestureLSTM()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(5):
        loss, acc = epoch_loop(model, loader, criterion, optimizer)
        print(f"epoch {epoch} loss {loss:.3f} acc {acc:.2f}")
