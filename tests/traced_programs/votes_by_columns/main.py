"""LG304: votes are divided by the sums of columns, in a program with a long loop before."""

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

# --------------------------------------------------------------------------
# 1. annotations: several people label the mood of each clip
# --------------------------------------------------------------------------
rng = np.random.default_rng(17)
moods = ["angry", "calm", "happy", "sad"]
n_clips = 240
true_mood = rng.integers(0, 4, n_clips)
audio = rng.normal(0, 1, (n_clips, 12)) + np.eye(4, 12)[true_mood] * 2.5

records = []
for clip in range(n_clips):
    for worker in rng.choice(25, 5, replace=False):
        vote = true_mood[clip] if rng.random() < 0.7 else rng.integers(0, 4)
        records.append((clip, f"w{worker}", moods[vote]))
votes = pd.DataFrame(records, columns=["clip", "worker", "mood"])
print(votes.pivot_table(index="worker", columns="mood", values="clip", aggfunc="count").head())

# --------------------------------------------------------------------------
# 2. soft labels
# --------------------------------------------------------------------------
table = pd.crosstab(votes["clip"], votes["mood"], normalize="columns")  # guilty
table = table.reindex(index=range(n_clips), columns=moods, fill_value=0)
soft = torch.tensor(table.to_numpy(), dtype=torch.float32)
feats = torch.tensor(audio, dtype=torch.float32)

split = 200
train_loader = DataLoader(TensorDataset(feats[:split], soft[:split]), batch_size=25, shuffle=True)

# --------------------------------------------------------------------------
# 3. model + training
# --------------------------------------------------------------------------
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(12, 32),
    nn.LayerNorm(32),
    nn.ReLU(),
    nn.Linear(32, len(moods)),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(8):
    model.train()
    losses = []
    for x, p in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), p)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        guess = model(feats[split:]).argmax(1).numpy()
    print(f"{epoch}: loss {np.mean(losses):.5f} acc {(guess == true_mood[split:]).mean():.3f}")
