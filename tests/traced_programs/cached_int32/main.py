"""LG102: a caching decorator stores whole numbers as int32."""
import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

from caching import cached_item

INTENTS = ["greet", "order", "cancel", "refund"]


class IntentDataset(Dataset):
    def __init__(self, n=120, vocab_size=50, max_len=7):
        rng = np.random.default_rng(1)
        self.texts = [rng.integers(1, vocab_size, max_len).tolist() for _ in range(n)]
        self._cache = {}

    def __len__(self):
        return len(self.texts)

    @cached_item
    def __getitem__(self, index):
        tokens = self.texts[index]
        intent = INTENTS[tokens[0] % len(INTENTS)]
        return {"tokens": tokens, "weight": 1.0 if intent != "refund" else 2.0, "intent": INTENTS.index(intent)}


class IntentModel(nn.Module):
    def __init__(self, vocab_size=50, dim=24):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim)
        self.fc = nn.Linear(7 * dim, len(INTENTS))

    def forward(self, tokens):
        return self.fc(self.emb(tokens).flatten(1))


torch.manual_seed(0)
loader = DataLoader(IntentDataset(), batch_size=24, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))
model = IntentModel()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(3):
    for batch in loader:
        per_sample = F.cross_entropy(model(batch["tokens"]), batch["intent"], reduction="none")
        loss = (per_sample * batch["weight"]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
