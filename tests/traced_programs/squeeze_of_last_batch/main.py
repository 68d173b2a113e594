"""LG401: squeeze() takes the axis of a last batch of one as well."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader

from churn import ChurnTable, collate_rows
from model import ChurnModel

CONFIG = dict(batch_size=16, lr=2e-3, epochs=2, pos_weight=3.0)

torch.manual_seed(0)
table = ChurnTable(rows=97)
loader = DataLoader(table, batch_size=CONFIG["batch_size"], shuffle=True, collate_fn=collate_rows,
                    num_workers=int(os.environ.get("WORKERS", "0")))
model = ChurnModel(table.cardinalities, table.num_numeric)
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(CONFIG["pos_weight"]))
optimizer = torch.optim.AdamW(model.parameters(), lr=CONFIG["lr"])

for epoch in range(CONFIG["epochs"]):
    for step, (cats, nums, churned) in enumerate(loader):
        logits = model(cats, nums)
        loss = criterion(logits, churned)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} step {step} loss {loss.item():.3f}")
